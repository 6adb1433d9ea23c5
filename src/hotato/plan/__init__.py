"""Compile a document once, judge any number of calls with it."""
