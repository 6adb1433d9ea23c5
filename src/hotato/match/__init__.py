"""Pure helpers that two or more kinds share: text, regexes, turns, spans, values, paths and formulas."""
