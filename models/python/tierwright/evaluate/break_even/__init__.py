"""DRAM or flash: break-even, equal money, the next dollar (FaCE, 2016)."""
