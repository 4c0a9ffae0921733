"""Economics of memory, flash and stores as published from 2022 to 2026.

One module a subject: a drive from its parts, its queue, the platform around it, the break-even
with host and bandwidth, stores and second memories, carbon, write amplification, and the control
of caches. `docs/models/modern-economics.md` states each formula with its validity.
"""
