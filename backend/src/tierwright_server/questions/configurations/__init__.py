"""Configurations that can be bought for a workload."""
