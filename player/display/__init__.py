"""The glass: everything that imports Qt lives in here; it takes orders, draws them and says what was presented."""
