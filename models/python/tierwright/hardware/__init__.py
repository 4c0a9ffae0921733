"""Devices and prices: profiles, service times, price books, measurements."""
