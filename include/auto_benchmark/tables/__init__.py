"""Reading a table: from a document's rows and cells to the entries of a board. Nothing here does I/O."""
