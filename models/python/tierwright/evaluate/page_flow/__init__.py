"""Page-flow schemes between RAM, flash and disk (Koltsidas and Viglas, 2009)."""
