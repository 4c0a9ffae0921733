"""What there is on a host: saved outputs of lsblk, dmidecode, nvme and smartctl, or these programs themselves."""
