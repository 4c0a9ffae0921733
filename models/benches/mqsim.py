"""Writes on a device that MQSim simulates, timed: the peer of the bench of the flash device.

MQSim (Tavakkol et al., FAST 2018) is built from its sources by ``make``; TIERWRIGHT_MQSIM names its program. It serves
uniform writes of single pages, by greedy collection, with its table of pages in memory and no write cache. It also
simulates the time of channels, chips and the host's queues, which our translation layer by itself does not: its rate
is what a user of it gets who wants to know the write amplification.
"""

from __future__ import annotations

import re
import resource
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

PLANES = 4
BLOCK_PAGES = 256
PAGE_BYTES = 8192
SECTOR_BYTES = 512
FREE_SHARE = 0.05
"""Share of the blocks that collection keeps free, its default: as much less of the spare space holds old versions."""


@dataclass(frozen=True)
class Peer:
    """What MQSim did between two lengths of one run.

    Attributes
    ----------
    host_writes_per_s : float
        Of processor time, set-up left out. [1/s]
    waf : float
        Pages programmed for each page that the host wrote. [1]
    """

    host_writes_per_s: float
    waf: float


def element(name: str, values: dict[str, object]) -> str:
    """Write an element with one child for each value."""
    inside = "\n".join(f"<{key}>{value}</{key}>" for key, value in values.items())
    return f"<{name}>\n{inside}\n</{name}>"


def device(pages: int, spare: float) -> str:
    """Describe a device of so many pages for the host and so much spare space."""
    blocks = -(-int(pages * (1 + spare)) // (BLOCK_PAGES * PLANES))
    flash = {
        "Flash_Technology": "MLC",
        "Die_No_Per_Chip": 1,
        "Plane_No_Per_Die": 1,
        "Block_No_Per_Plane": blocks,
        "Page_No_Per_Block": BLOCK_PAGES,
        "Page_Capacity": PAGE_BYTES,
        "Block_PE_Cycles_Limit": 1_000_000,
    }
    settings: dict[str, object] = {
        "Seed": 321,
        "Enabled_Preconditioning": "false",
        "Memory_Type": "FLASH",
        "HostInterface_Type": "NVME",
        "Caching_Mechanism": "SIMPLE",
        "Address_Mapping": "PAGE_LEVEL",
        "Ideal_Mapping_Table": "true",
        "Overprovisioning_Ratio": 1 - pages / (blocks * BLOCK_PAGES * PLANES),
        "GC_Block_Selection_Policy": "GREEDY",
        "GC_Exec_Threshold": FREE_SHARE,
        # Its default is true, with which it comes to a stop before all is served.
        "Preemptible_GC_Enabled": "false",
        "Dynamic_Wearleveling_Enabled": "false",
        "Static_Wearleveling_Enabled": "false",
        "Flash_Channel_Count": 2,
        "Chip_No_Per_Channel": PLANES // 2,
    }
    inner = element("Device_Parameter_Set", settings)
    inner = inner.replace(
        "</Device_Parameter_Set>",
        f"{element('Flash_Parameter_Set', dict(flash))}\n</Device_Parameter_Set>",
    )
    return f'<?xml version="1.0"?>\n<Execution_Parameter_Set>\n{inner}\n</Execution_Parameter_Set>\n'


def writes(requests: int) -> str:
    """Describe uniform writes of one page each, 16 at a time."""
    flow: dict[str, object] = {
        "Priority_Class": "HIGH",
        "Device_Level_Data_Caching_Mode": "TURNED_OFF",
        "Channel_IDs": "0,1",
        "Chip_IDs": ",".join(map(str, range(PLANES // 2))),
        "Die_IDs": 0,
        "Plane_IDs": 0,
        "Initial_Occupancy_Percentage": 100,
        "Working_Set_Percentage": 100,
        "Synthetic_Generator_Type": "QUEUE_DEPTH",
        "Read_Percentage": 0,
        "Address_Distribution": "RANDOM_UNIFORM",
        "Percentage_of_Hot_Region": 0,
        "Generated_Aligned_Addresses": "true",
        "Address_Alignment_Unit": PAGE_BYTES // SECTOR_BYTES,
        "Request_Size_Distribution": "FIXED",
        "Average_Request_Size": PAGE_BYTES // SECTOR_BYTES,
        "Variance_Request_Size": 0,
        "Seed": 798,
        "Average_No_of_Reqs_in_Queue": 16,
        "Intensity": 32768,
        "Stop_Time": 0,
        "Total_Requests_To_Generate": requests,
    }
    inner = element("IO_Flow_Parameter_Set_Synthetic", flow)
    return (
        '<?xml version="1.0"?>\n<MQSim_IO_Scenarios>\n<IO_Scenario>\n'
        f"{inner}\n</IO_Scenario>\n</MQSim_IO_Scenarios>\n"
    )


def run(program: Path, pages: int, spare: float, requests: int) -> tuple[float, int]:
    """Serve so many writes; processor seconds, and pages programmed."""
    with tempfile.TemporaryDirectory(prefix="tierwright-mqsim-") as folder:
        at = Path(folder)
        (at / "ssd.xml").write_text(device(pages, spare), encoding="ascii")
        (at / "writes.xml").write_text(writes(requests), encoding="ascii")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [str(program.resolve()), "-i", "ssd.xml", "-w", "writes.xml"],
            cwd=at,
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found = (at / "writes_scenario_1.xml").read_text(encoding="utf-8")
    programmed = re.search(r'Issued_Flash_Program_CMD="(\d+)"', found)
    served = re.search(r"<Write_Request_Count>(\d+)<", found)
    if programmed is None or served is None or int(served[1]) != requests:
        raise SystemExit(f"error: MQSim did not serve {requests:,} writes")
    return after.ru_utime - before.ru_utime, int(programmed[1])


def measure(program: Path, pages: int, spare: float) -> Peer:
    """Measure the writes between three and six times the pages of the device, in the steady state."""
    first, last = 3 * pages, 6 * pages
    early, late = (run(program, pages, spare, each) for each in (first, last))
    return Peer(
        (last - first) / (late[0] - early[0]),
        (late[1] - early[1]) / (last - first),
    )
