"""Response time of one page access at a rate: devices as queues, an access as a mixture of tiers."""
