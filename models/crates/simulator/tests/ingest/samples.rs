//! One small trace of every format of the table, written here from its layout.

use crate::support::*;

/// How a format keeps its records, for the tests that cut and shuffle them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One record a line, of which the first ones may be a header.
    Lines { header: usize },
    /// Records of one length.
    Records { bytes: usize },
    /// A header, then records of one length.
    HeaderAndRecords { header: usize, bytes: usize },
    /// Neither: parts do not stand for themselves.
    Whole,
}

/// A trace of one format and what is in it.
pub(crate) struct Sample {
    pub(crate) format: &'static str,
    pub(crate) kind: Kind,
    pub(crate) content: Vec<u8>,
    /// Column mapping, of the generic table only.
    pub(crate) mapping: &'static str,
    /// Formats that the content fits as well: detection asks.
    pub(crate) alike: &'static [&'static str],
    pub(crate) requests: u64,
    pub(crate) write_requests: u64,
    pub(crate) accesses: u64,
    pub(crate) distinct_pages: u64,
    pub(crate) devices: u64,
    pub(crate) duration_s: Option<f64>,
}

impl Sample {
    fn new(format: &'static str, kind: Kind, content: impl AsRef<[u8]>) -> Self {
        Self {
            format,
            kind,
            content: content.as_ref().to_vec(),
            mapping: "",
            alike: &[],
            requests: 0,
            write_requests: 0,
            accesses: 0,
            distinct_pages: 0,
            devices: 1,
            duration_s: None,
        }
    }

    fn counts(
        mut self,
        (requests, write_requests): (u64, u64),
        (accesses, distinct_pages): (u64, u64),
        devices: u64,
        duration_s: impl Into<Option<f64>>,
    ) -> Self {
        (self.requests, self.write_requests) = (requests, write_requests);
        (self.accesses, self.distinct_pages) = (accesses, distinct_pages);
        self.devices = devices;
        self.duration_s = duration_s.into();
        self
    }

    /// Number of lines of a text.
    pub(crate) fn lines(&self) -> usize {
        std::str::from_utf8(&self.content).unwrap().lines().count()
    }

    pub(crate) fn is_text(&self) -> bool {
        matches!(self.kind, Kind::Lines { .. })
    }

    /// Positions to cut or change at: all, of a long header only a few.
    pub(crate) fn positions(&self) -> impl Iterator<Item = usize> + use<> {
        let header = match self.kind {
            Kind::HeaderAndRecords { header, .. } => header,
            _ => 0,
        };
        (0..self.content.len()).filter(move |at| *at >= header || *at < 17 || at % 409 == 0)
    }

    /// The trace argument group that reads it by name.
    pub(crate) fn spec(&self, path: &std::path::Path) -> tierwright_simulator::trace::TraceSpec {
        if self.mapping.is_empty() {
            spec_as(path, self.format)
        } else {
            spec_mapped(path, self.mapping)
        }
    }
}

const LINES: Kind = Kind::Lines { header: 0 };
const TABLE: Kind = Kind::Lines { header: 1 };

/// An oracleGeneralOpNS record; the name space is the tens of the key.
fn oracle_op_ns(time_s: u32, id: u64, size_bytes: u32, op: u8, next: i64) -> Vec<u8> {
    let mut record = Vec::new();
    record.extend_from_slice(&time_s.to_le_bytes());
    record.extend_from_slice(&id.to_le_bytes());
    record.extend_from_slice(&size_bytes.to_le_bytes());
    record.push(op);
    record.extend_from_slice(&u16::try_from(id / 10).unwrap().to_le_bytes());
    record.extend_from_slice(&next.to_le_bytes());
    record
}

/// The present header of LCS, its statistics left 0.
pub(crate) fn lcs_header(version: u64) -> Vec<u8> {
    let magic = 0x1234_5678_9abc_def0_u64.to_le_bytes();
    let mut header = vec![0; 8192];
    header[..8].copy_from_slice(&magic);
    header[8..16].copy_from_slice(&version.to_le_bytes());
    header[8184..].copy_from_slice(&magic);
    header
}

/// An LCS record of version 2; the tenant is the tens of the key.
pub(crate) fn lcs_2(time_s: u32, id: u64, size_bytes: u32, op: u32, next: i64) -> Vec<u8> {
    let mut record = Vec::new();
    record.extend_from_slice(&time_s.to_le_bytes());
    record.extend_from_slice(&id.to_le_bytes());
    record.extend_from_slice(&size_bytes.to_le_bytes());
    record.extend_from_slice(&(op | u32::try_from(id / 10).unwrap() << 8).to_le_bytes());
    record.extend_from_slice(&next.to_le_bytes());
    record
}

/// Samples in the order of the table of formats.
pub(crate) fn samples() -> Vec<Sample> {
    vec![
        // Relation 5/9 has blocks 0 and 1, relation 5/9_fsm has block 0.
        Sample::new(
            "postgres_csv",
            TABLE,
            "time_us,op,rel,block\n0,R,5/9,0\n250000,W,5/9,1\n500000,R,5/9_fsm,0\n1000000,R,5/9,1\n",
        )
        .counts((4, 1), (4, 3), 2, 1.0),
        // Blocks 0, 1 and 0 again of 5/9, the first of its segment 1 (block 131072), one of 0/1260.
        Sample::new(
            "strace_postgres",
            LINES,
            "71 1700000000.000000 pread64(9</d/base/5/9>, \"a\"..., 8192, 0) = 8192\n\
             71 1700000000.250000 pread64(9</d/base/5/9>, \"a, \\\"b) = 1\"..., 8192, 8192) = 8192\n\
             72 1700000000.500000 pwrite64(9</d/base/5/9.1>, \"\\0\"..., 8192, 0) = 8192\n\
             72 1700000001.000000 pwrite64(4</d/pg_wal/0001>, \"\\0\"..., 8192, 0) = 8192\n\
             71 1700000001.250000 pread64(9</d/base/5/9>, \"a\"..., 8192, 0) = 8192\n\
             71 1700000001.500000 pread64(8</d/global/1260>, \"a\"..., 8192, 0) = 8192\n",
        )
        .counts((5, 1), (5, 4), 2, 1.5),
        // 25,000,000 ticks of 100 ns are 2.5 s; 100..4196 lies in pages 0 and 1.
        Sample::new(
            "msr",
            LINES,
            "128166372000000000,a,0,Read,0,8192,9\n128166372010000000,a,0,Write,100,4096,9\n\
             128166372025000000,b,0,Read,0,4096,9\n",
        )
        .counts((3, 1), (5, 3), 2, 2.5),
        // Sector 8 is byte 4096: page 1. Sector 7 is byte 3584: pages 0 and 1.
        Sample::new(
            "spc",
            LINES,
            "0,8,4096,R,0.0\n0,7,1024,w,0.500000\n1,8,8192,r,1.25,extra,fields\n",
        )
        .counts((3, 1), (5, 4), 2, 1.25),
        // Q events only: 8 sectors from sector 8 are page 1, 16 from sector 0 are pages 0 and 1.
        Sample::new(
            "blkparse",
            LINES,
            "  8,0    1        1     0.000000000   697  Q  RA 8 + 8 [a b]\n\
             \x20 8,0    1        2     0.000000100   697  G  RA 8 + 8 [a b]\n\
             \x20 8,0    1        3     0.500000000   697  Q  WS 0 + 16 [a b]\n\
             \x20 8,0    1        4     0.600000000   697  D  WS 0 + 16 [a b]\n\
             \x20 8,16   1        5     2.000000000   697  Q   R 0 + 8 [a b]\n\
             \x20 8,0    1        6     2.100000000     0  C  RA 8 + 8 [0]\n",
        )
        .counts((3, 1), (4, 3), 2, 2.0),
        Sample::new(
            "blktrace",
            Kind::Records { bytes: 48 },
            [
                blktrace(1, 0, QUEUE | READ, 8, 4096, b""),
                blktrace(2, 100, ISSUE | READ, 8, 4096, b""),
                blktrace(3, 500_000_000, QUEUE | WRITE, 0, 8192, b""),
                blktrace(4, 2_000_000_000, QUEUE | READ, 7, 1024, b""),
            ]
            .concat(),
        )
        .counts((3, 1), (5, 2), 1, 2.0),
        Sample::new(
            "fio_iolog",
            TABLE,
            "fio version 3 iolog\n0 a add\n10 a open\n20 a read 0 8192\n500020 b write 4096 4096\n\
             600000 a sync\n1000020 a read 4096 4096\n1000030 a close\n",
        )
        .counts((3, 1), (4, 3), 2, 1.0),
        Sample::new(
            "alibaba",
            LINES,
            "0,R,0,8192,1577808000000000\n0,W,100,4096,1577808000500000\n7,R,0,4096,1577808002500000\n",
        )
        .counts((3, 1), (5, 3), 2, 2.5),
        // 16 sectors from sector 8 are pages 1 and 2; one sector at 23 is page 2.
        Sample {
            alike: &["tencent_cbs", "tencent_cbs_bytes"],
            ..Sample::new(
                "tencent_cbs",
                LINES,
                "1538323199,8,16,1,1576\n1538323200,23,1,0,1576\n1538323203,8,8,0,9\n",
            )
            .counts((3, 1), (4, 3), 2, 4.0)
        },
        // The same requests, the offset in bytes.
        Sample {
            alike: &["tencent_cbs", "tencent_cbs_bytes"],
            ..Sample::new(
                "tencent_cbs_bytes",
                LINES,
                "1538323199,4096,16,1,1576\n1538323200,11776,1,0,1576\n1538323203,4096,8,0,9\n",
            )
            .counts((3, 1), (4, 3), 2, 4.0)
        },
        Sample::new(
            "vscsi",
            Kind::Records { bytes: 32 },
            [
                vscsi(8192, 0x28, 8, 0),
                vscsi(512, 0x2a, 8, 500_000),
                vscsi(4096, 0x88, 0, 2_000_000),
            ]
            .concat(),
        )
        .counts((3, 1), (4, 3), 1, 2.0),
        Sample::new(
            "cloudphysics_csv",
            TABLE,
            "version,time,op,size,lbn\n1,5,2a,512,8\n1,6,28,8192,8\n1,7,28,4096,0\n",
        )
        .counts((3, 1), (4, 3), 1, 2.0),
        Sample::new(
            "systor",
            TABLE,
            "Timestamp,Response,IOType,LUN,Offset,Size\n\
             1456095145.000000000,0.000806000,R,0,0,8192\n\
             1456095145.500000000,,W,0,100,4096\n\
             1456095146.000000000,0.1,,0,0,4096\n\
             1456095147.000000000,0.1,R,3,0,4096\n",
        )
        .counts((3, 1), (5, 3), 2, 2.0),
        Sample::new(
            "k5cloud",
            LINES,
            "1,0.000012,R,0,8192\n1,0.500012,W,100,4096\n2,2.000012,R,0,4096\n",
        )
        .counts((3, 1), (5, 3), 2, 2.0),
        // 0 writes, 1 reads.
        Sample::new(
            "mqsim",
            LINES,
            "0 0 8 16 1\n500000000 0 23 1 0\n2000000000 1 8 8 1\n",
        )
        .counts((3, 1), (4, 3), 2, 2.0),
        Sample {
            alike: &["disksim", "flashsim"],
            ..Sample::new(
                "disksim",
                LINES,
                "0.000000 0 8 16 1\n500.000000 0 23 1 0\n2000.000000 1 8 8 1\n",
            )
            .counts((3, 1), (4, 3), 2, 2.0)
        },
        // Pages: 2 from page 1, 1 from inside page 2 (two pages touched), 1 of another device.
        Sample {
            alike: &["disksim", "flashsim"],
            ..Sample::new(
                "flashsim",
                LINES,
                "0.000000\t0\t8\t2\t1\n500.000000\t0\t23\t1\t0\n2000.000000\t1\t8\t1\t1\n",
            )
            .counts((3, 1), (5, 4), 2, 2.0)
        },
        Sample::new(
            "fiu",
            LINES,
            "0 18 httpd 8 16 R 6 0 5c5a91\n500000000 18 a b c 23 1 W 6 0 5c5a91\n2000000000 18 httpd 8 8 R 8 1 5c5a91\n",
        )
        .counts((3, 1), (4, 3), 2, 2.0),
        Sample::new(
            "oracle_general",
            Kind::Records { bytes: 24 },
            [
                oracle(5, 70, 512, 3),
                oracle(6, 80, 512, -1),
                oracle(7, 70, 512, -1),
            ]
            .concat(),
        )
        .counts((3, 0), (3, 2), 1, 2.0),
        // Keys 70 and 80; the second request of 70 sets it, the last one deletes 80.
        Sample::new(
            "oracle_general_op_ns",
            Kind::Records { bytes: 27 },
            [
                oracle_op_ns(1, 70, 900, 1, 3),
                oracle_op_ns(1, 80, 0, 12, 4),
                oracle_op_ns(2, 70, 900, 3, -1),
                oracle_op_ns(3, 80, 0, 9, -1),
            ]
            .concat(),
        )
        .counts((4, 1), (3, 2), 2, 2.0),
        // The header, then the same four requests as records of version 2.
        Sample::new(
            "lcs",
            Kind::HeaderAndRecords {
                header: 8192,
                bytes: 28,
            },
            [
                lcs_header(2),
                lcs_2(1, 70, 900, 1, 3),
                lcs_2(1, 80, 0, 12, 4),
                lcs_2(2, 70, 900, 3, -1),
                lcs_2(3, 80, 0, 9, -1),
            ]
            .concat(),
        )
        .counts((4, 1), (3, 2), 2, 2.0),
        // Keys 17 and `a,b`; the miss has size 0, the set fills, the delete makes no access.
        Sample::new(
            "twitter",
            LINES,
            "0,17,2,300,5,get,0\n0,a,b,3,0,5,gets,0\n1,a,b,3,70,5,set,3600\n3,a,b,3,0,6,delete,0\n",
        )
        .counts((4, 1), (3, 2), 1, 3.0),
        // 3 gets of k7, 1 set of it, 2 gets and one delete of k8.
        Sample::new(
            "cachelib_kv",
            TABLE,
            "op_time,key,key_size,op,op_count,size,cache_hits,ttl,usecase,sub_usecase\n\
             1697000000000,k7,2,GET,3,0,0,0,a,b\n1697000000500,k7,2,SET,1,90,0,60,a,b\n\
             1697000001000,k8,2,GET_LEASE,2,0,0,0,a,b\n1697000001500,k8,2,DELETE,1,0,0,0,a,b\n",
        )
        .counts((7, 1), (6, 2), 1, 1.5),
        // Bytes 0..8192 of block 900 twice, 100..4196 of it, page 0 of block 901.
        Sample::new(
            "cachelib_storage",
            TABLE,
            "op_time,block_id,block_id_size,io_size,io_offset,user_name,user_namespace,op_name,op_count,host_name,rs_shard_id\n\
             1697000000,900,8388608,8192,0,u,n,getChunkData.Permanent,2,h,0\n\
             1697000001,900,8388608,4096,100,u,n,putChunk,1,h,0\n\
             1697000002,901,8388608,4096,0,u,n,getChunkDataCold,1,h,1\n",
        )
        .counts((4, 1), (7, 3), 1, 2.0),
        Sample::new(
            "wikimedia_cdn",
            LINES,
            "0\t-8291\tjpeg\t5120\t0.000093\n0\t77\tsvg\t100\t0.2\n4\t-8291\tjpeg\t5120\t1.5\n",
        )
        .counts((3, 0), (3, 2), 1, 4.0),
        // Data block 77 twice, its filter and an index block; the second look-up fills nothing.
        Sample::new(
            "rocksdb_block_cache",
            LINES,
            "1600000000000100,77,9,4123,0,default,3,12,1,0,7,9,120,1,1,16,5,10,16,20,8192\n\
             1600000000000200,78,8,900,0,default,3,12,1,0,7,9,0,1,0,0,5,10,16,0,65536\n\
             1600000000000300,77,9,4123,0,default,3,12,1,1,8,9,120,0,1,16,5,11,16,20,8192\n\
             1600000001000100,79,7,0,0,default,3,12,3,0,0,0,0,0,0,0,5,0,16,0,73728\n",
        )
        .counts((4, 0), (4, 3), 1, 1.0),
        // Blocks 5, 6, 7, then 7, then 100.
        Sample::new("arc", LINES, "5 3 0 0\n7 1 0 1\n100 1 0 2\n").counts((3, 0), (5, 4), 1, None),
        Sample::new("lirs", LINES, "12\n7\n*\n12\n").counts((3, 0), (3, 2), 1, None),
        Sample {
            alike: &["keys"],
            ..Sample::new("keys", LINES, "user:7\nk7\nuser:7\nk/2\n").counts((4, 0), (4, 3), 1, None)
        },
        Sample {
            mapping: "time=ts time_unit=s op=op page=page device=dev",
            alike: &["csv"],
            ..Sample::new(
                "csv",
                TABLE,
                "ts;op;dev;page\n1;R;a;7\n2;W;a;8\n3;R;b;7\n",
            )
            .counts((3, 1), (3, 3), 2, 2.0)
        },
        parquet(),
        canonical(),
    ]
}

/// A table of three rows with a column that is not mapped and one that may be empty.
fn parquet() -> Sample {
    Sample {
        mapping: "time=ts time_unit=us op=op offset=at offset_unit=bytes size=len size_unit=bytes device=dev",
        ..Sample::new(
            "parquet",
            Kind::Whole,
            parquet_table(&[
                (0, "R", 0, 8192),
                (500_000, "W", 4096, 4096),
                (1_000_000, "R", 0, 1),
            ]),
        )
        .counts((3, 1), (4, 2), 1, 1.0)
    }
}

/// A row: time, operation, place, length.
type Row<'a> = (i64, &'a str, i64, i64);

/// A Parquet table `ts` (int64), `op` (text), `note` (double, empty), `dev`, `at`, `len` of device `sda`.
pub(crate) fn parquet_table(rows: &[Row<'_>]) -> Vec<u8> {
    use ::parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
    use ::parquet::file::properties::WriterProperties;
    use ::parquet::file::writer::SerializedFileWriter;

    let schema =
        "message trace { required int64 ts; required binary op (UTF8); optional double note;
                  required binary dev (UTF8); required int64 at; required int64 len; }";
    let schema = ::parquet::schema::parser::parse_message_type(schema).unwrap();
    let properties = WriterProperties::builder()
        .set_compression(::parquet::basic::Compression::SNAPPY)
        .build();
    let mut bytes = Vec::new();
    let mut table =
        SerializedFileWriter::new(&mut bytes, schema.into(), properties.into()).unwrap();
    for group in rows.chunks(2) {
        let mut writer = table.next_row_group().unwrap();
        let texts = |of: &dyn Fn(&Row<'_>) -> String| -> Vec<ByteArray> {
            group
                .iter()
                .map(|row| of(row).into_bytes().into())
                .collect()
        };
        let numbers = |of: &dyn Fn(&Row<'_>) -> i64| -> Vec<i64> { group.iter().map(of).collect() };
        let mut place = 0;
        while let Some(mut column) = writer.next_column().unwrap() {
            let written = match place {
                0 => column
                    .typed::<Int64Type>()
                    .write_batch(&numbers(&|row| row.0), None, None)
                    .unwrap(),
                1 => column
                    .typed::<ByteArrayType>()
                    .write_batch(&texts(&|row| row.1.to_owned()), None, None)
                    .unwrap(),
                2 => column
                    .typed::<DoubleType>()
                    .write_batch(&[], Some(&vec![0; group.len()]), None)
                    .unwrap(),
                3 => column
                    .typed::<ByteArrayType>()
                    .write_batch(&texts(&|_| "sda".to_owned()), None, None)
                    .unwrap(),
                4 => column
                    .typed::<Int64Type>()
                    .write_batch(&numbers(&|row| row.2), None, None)
                    .unwrap(),
                _ => column
                    .typed::<Int64Type>()
                    .write_batch(&numbers(&|row| row.3), None, None)
                    .unwrap(),
            };
            assert_eq!(written, if place == 2 { 0 } else { group.len() });
            column.close().unwrap();
            place += 1;
        }
        writer.close().unwrap();
    }
    table.close().unwrap();
    bytes
}

/// The canonical form of a small trace.
fn canonical() -> Sample {
    let folder = Folder::new();
    let out = folder.path("o.twt");
    convert(&spec(&folder.file("p", POSTGRES)), &out).unwrap();
    Sample::new("canonical", Kind::Whole, std::fs::read(&out).unwrap()).counts(
        (3, 1),
        (3, 3),
        2,
        31e-6,
    )
}

/// Actions and kinds of blktrace records.
pub(crate) const QUEUE: u32 = 1 | 1 << 20;
pub(crate) const ISSUE: u32 = 7 | 1 << 22;
pub(crate) const COMPLETE: u32 = 8 | 1 << 23;
pub(crate) const READ: u32 = 1 << 16;
pub(crate) const WRITE: u32 = 1 << 17;

/// A record of blktrace of device 8,0 on CPU 0, with its payload.
pub(crate) fn blktrace(
    sequence: u32,
    time_ns: u64,
    action: u32,
    sector: u64,
    bytes: u32,
    payload: &[u8],
) -> Vec<u8> {
    let mut record = Vec::new();
    record.extend_from_slice(&0x6561_7407_u32.to_le_bytes());
    record.extend_from_slice(&sequence.to_le_bytes());
    record.extend_from_slice(&time_ns.to_le_bytes());
    record.extend_from_slice(&sector.to_le_bytes());
    for word in [bytes, action, 697, 8 << 20, 0] {
        record.extend_from_slice(&word.to_le_bytes());
    }
    record.extend_from_slice(&0_u16.to_le_bytes());
    record.extend_from_slice(&u16::try_from(payload.len()).unwrap().to_le_bytes());
    record.extend_from_slice(payload);
    record
}
