"""Long runs of many pieces: a folder that one run at a time writes, a journal of what is done, processes that do it."""
