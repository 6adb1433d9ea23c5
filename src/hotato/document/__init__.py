"""From text or a mapping to specs, or to every problem in it with file, line and column.

`load` makes a document of assertions, `packs` a pack of policy rules; both take a `tree.Tree` (text) or a mapping.
"""
