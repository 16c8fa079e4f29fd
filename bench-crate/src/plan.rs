//! `quadscan plan`: how long scans and reductions of an array on several GPUs will take, what of it each
//! has, and what bounds them, by a model of a few measured figures.
//!
//! With `t`, `s` and `r` the times of a scan, of the totals of all its tiles and of a reduction on one device:
//!
//! - dealt: `calls + rounds * max(t / (rounds * devices), look)`, where in a round each SM of each device
//!   scans a tile, and `look` is how long a device waits for the totals of the others' tiles;
//! - contiguous: `calls + (t + s) / devices + messages`;
//! - a reduction: `calls + r / devices + messages`.
//!
//! Between machines what stands before a machine's part goes from each to the next, a message each.
//! `docs/scaling.md` compares with measured times.

use crate::cli::PlanArguments;
use crate::error::Result;
use crate::export::{Format, Grid};
use crate::number::significant;
use crate::table::list::{numbers, refused, sizes};

/// Devices that one process drives, and that are in one machine.
const MACHINE: u64 = 8;

/// The most devices.
const MOST: u64 = 1024;

/// Bytes of an element.
const WIDTH: f64 = 4.0;

/// Elements of a tile of such elements.
const TILE: f64 = 8064.0;

/// SMs of a device, with a tile each at a time.
const SMS: f64 = 132.0;

/// Elements that the times of devices are of.
const MEASURED: f64 = 4_294_967_296.0;

/// The part of its memory that an array of a device may have.
const ROOM: f64 = 0.95;

/// What a device does by itself: sums of u32, driver 580.159.04, 2026-11-26.
struct Gpu {
    name: &'static str,
    /// Of 2^32 elements, ms,
    scan: f64,
    /// of the totals of their tiles,
    totals: f64,
    /// and of a reduction.
    reduction: f64,
    /// Its memory.
    gib: f64,
}

const GPUS: [Gpu; 2] = [
    Gpu {
        name: "h200",
        scan: 8.301,
        totals: 4.471,
        reduction: 3.771,
        gib: 139.0,
    },
    Gpu {
        name: "h100",
        scan: 11.469,
        totals: 5.501,
        reduction: 5.615,
        gib: 78.0,
    },
];

/// ms that a call of one device takes, however few elements there are;
const ONE: f64 = 0.017;

/// of several that run one kernel together, each of them;
const DEALT: f64 = 0.012;

/// of several whose totals the host waits for, and each of them;
const CONTIGUOUS: [f64; 2] = [0.015, 0.0095];

/// and of a reduction.
const REDUCTION: [f64; 2] = [0.010, 0.008];

/// ms of a round in which devices wait for each other's totals, and of each device.
const LOOK: [f64; 2] = [1.27e-3, 0.36e-3];

/// What a row says.
struct Row {
    operation: &'static str,
    ms: f64,
    bound: &'static str,
}

/// The operations on `n` elements, by so many devices of machines that are `latency` ms apart.
fn rows(gpu: &Gpu, n: f64, devices: u64, has_peers: bool, latency: f64) -> Vec<Row> {
    let count = devices as f64;
    let of = |ms: f64| ms * n / MEASURED / count;
    let (scan, totals, reduction) = (of(gpu.scan), of(gpu.totals), of(gpu.reduction));
    let row = |operation, memory: f64, calls: f64, wait: f64| {
        let ms = calls + memory.max(wait);
        let bound = match (memory >= wait, calls > memory.max(wait)) {
            (_, true) => "calls",
            (true, _) => "memory",
            (false, _) => "link",
        };
        Row {
            operation,
            ms,
            bound,
        }
    };
    if devices == 1 {
        return vec![
            row("scan", scan, ONE, 0.0),
            row("reduce", reduction, ONE, 0.0),
        ];
    }
    let messages = (devices.div_ceil(MACHINE) - 1) as f64 * latency;
    let of_machine = devices.min(MACHINE) as f64;
    let calls = |of: [f64; 2]| of[0] + of[1] * of_machine + messages;
    let mut rows = vec![
        row("scan, contiguous", scan + totals, calls(CONTIGUOUS), 0.0),
        row("reduce", reduction, calls(REDUCTION), 0.0),
    ];
    if has_peers && devices <= MACHINE {
        let rounds = n / (TILE * SMS * count);
        let wait = rounds * (LOOK[0] + LOOK[1] * count);
        rows.insert(0, row("scan, dealt", scan, DEALT * count, wait));
    }
    rows
}

/// What `quadscan plan` prints.
///
/// # Errors
///
/// [`Error::Argument`](crate::Error::Argument) for what cannot be predicted.
pub fn plan(arguments: &PlanArguments) -> Result<String> {
    let elements = sizes("--elements", &arguments.elements)?;
    let devices = numbers("--devices", &arguments.devices, 1..=MOST)?;
    let gpu = GPUS.iter().find(|gpu| gpu.name == arguments.gpu);
    let unknown = |argument, name: &str, allowed| {
        refused(
            argument,
            format!("`{name}` is unknown, allowed are {allowed}"),
        )
    };
    let gpu = gpu.ok_or_else(|| unknown("--gpu", &arguments.gpu, "h200 and h100"))?;
    let has_peers = match &*arguments.link {
        "nvlink4" => true,
        "none" => false,
        other => return Err(unknown("--link", other, "nvlink4 and none")),
    };
    let latency = arguments.latency.parse::<f64>().ok();
    let latency = latency
        .filter(|us| (0.0..=1e6).contains(us))
        .ok_or_else(|| {
            let problem = "is not a number of microseconds, allowed are 0 to 1000000";
            refused("--latency", format!("`{}` {problem}", arguments.latency))
        })?;
    let format = Format::by_name(&arguments.format);
    let format = format.ok_or_else(|| {
        unknown(
            "--format",
            &arguments.format,
            "table, csv, markdown and json",
        )
    })?;
    let mut lines = Vec::new();
    for &n in &elements {
        for &count in &devices {
            let gib = (n as f64 / count as f64).ceil() * WIDTH / (1_u64 << 30) as f64;
            let has_room = gib <= ROOM * gpu.gib;
            let alone = rows(gpu, n as f64, 1, false, 0.0);
            for row in rows(gpu, n as f64, count, has_peers, latency / 1e3) {
                let one = &alone[usize::from(row.operation == "reduce")];
                lines.push(vec![
                    n.to_string(),
                    count.to_string(),
                    row.operation.to_owned(),
                    significant(row.ms),
                    format!("{:.2}", one.ms / row.ms),
                    significant(gib),
                    if has_room { row.bound } else { "no room" }.to_owned(),
                ]);
            }
        }
    }
    let header = [
        "elements",
        "devices",
        "operation",
        "ms",
        "speedup",
        "GiB_a_device",
        "bound",
    ];
    Ok(Grid::new(&header, lines).render(format))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ms, the medians of 15, of docs/scaling.md: devices, the binary logarithm of the elements, dealt,
    /// contiguous and a reduction.
    const MEASURED_OF_H200: [(u64, i32, [f64; 3]); 11] = [
        (2, 28, [0.2927, 0.434, 0.1536]),
        (4, 28, [0.2131, 0.2665, 0.0987]),
        (6, 28, [0.2139, 0.1996, 0.1024]),
        (8, 28, [0.2249, 0.2018, 0.0995]),
        (2, 32, [4.2502, 6.3784, 1.9418]),
        (3, 32, [3.1430, 4.2778, 1.3301]),
        (4, 32, [2.8077, 3.2305, 0.9868]),
        (5, 32, [2.6014, 2.5908, 0.8308]),
        (6, 32, [2.4584, 2.1800, 0.7416]),
        (7, 32, [2.8041, 1.9185, 0.6940]),
        (8, 32, [2.7618, 1.7144, 0.5626]),
    ];

    /// Two of them, without reductions.
    const MEASURED_OF_H100: [(i32, [f64; 2]); 3] = [
        (28, [0.407, 0.605]),
        (30, [1.482, 2.206]),
        (32, [5.803, 8.584]),
    ];

    /// `most` is what a prediction may be off, in the order of the rows.
    #[track_caller]
    fn assert_predicted(
        gpu: &Gpu,
        devices: u64,
        power: i32,
        measured: &[f64],
        most: impl Fn(&str) -> f64,
    ) {
        let found = rows(gpu, f64::from(power).exp2(), devices, true, 0.0);
        for (row, measured) in found.iter().zip(measured) {
            let off = row.ms / measured - 1.0;
            let what = (gpu.name, devices, power, row.operation);
            assert!(off.abs() <= most(row.operation), "{what:?}: {off}");
        }
    }

    #[test]
    fn measured_times_are_predicted_as_docs_scaling_says() {
        for (devices, power, measured) in MEASURED_OF_H200 {
            let most = |operation: &str| match (operation, devices) {
                ("scan, dealt", 7..) if power == 32 => 0.21,
                ("reduce", 5..=7) => 0.14,
                ("reduce", _) => 0.07,
                _ => 0.06,
            };
            assert_predicted(&GPUS[0], devices, power, &measured, most);
        }
        for (power, measured) in MEASURED_OF_H100 {
            assert_predicted(&GPUS[1], 2, power, &measured, |_| 0.07);
        }
    }

    /// ms that a launch takes its host, and waiting for a device and reading its totals.
    const HOST: [f64; 2] = [0.003, 0.0035];

    /// Replays what devices and their machines wait for, event by event: ms until the last one has scanned its
    /// contiguous part, or reduced it. Devices differ by up to `SPREAD`, and messages take one of the
    /// `latencies` (ms) each.
    fn replayed(gpu: &Gpu, n: f64, devices: u64, latencies: &[f64], is_scan: bool) -> f64 {
        const SPREAD: f64 = 0.01;
        let mut random = fastrand::Rng::with_seed(devices);
        let [launch, read] = HOST;
        let own = |ms: f64| ms * n / MEASURED / devices as f64;
        let first = own(if is_scan { gpu.totals } else { gpu.reduction });
        let (mut before, mut end) = (0.0_f64, 0.0_f64);
        let mut left = devices;
        while left > 0 {
            let count = left.min(MACHINE);
            left -= count;
            // All are launched, one after the other, and read in that order.
            let mut work = |ms: f64| ms * (1.0 + SPREAD * random.f64());
            let ready: Vec<f64> = (1..=count)
                .map(|k| k as f64 * launch + work(first))
                .collect();
            let mut now = count as f64 * launch;
            if devices > MACHINE {
                now = ready.iter().fold(now, |now, &ready| now.max(ready) + read);
                let known = now.max(before);
                now = known;
                before = known + latencies[random.usize(0..latencies.len())];
            }
            for ready in ready {
                if devices <= MACHINE {
                    now = now.max(ready) + read;
                }
                if is_scan {
                    now += launch;
                    let scanned = now + own(gpu.scan) * (1.0 + SPREAD * random.f64());
                    end = end.max(scanned);
                }
                end = end.max(now);
            }
        }
        end + read
    }

    /// Messages of 64 bytes between processes of one machine (Open MPI 4.1.6, 32 cores, 2026-11-27: 0.53 to
    /// 0.58 us), and what a network is assumed to take.
    #[test]
    fn what_is_predicted_for_up_to_1024_devices_is_what_the_replayed_exchange_takes() {
        let n = 2.0_f64.powi(40);
        for latencies in [[0.526e-3, 0.555e-3, 0.578e-3], [4e-3, 5e-3, 6e-3]] {
            let latency = latencies.iter().sum::<f64>() / 3.0;
            for devices in (1..=10).map(|power| 1 << power) {
                let rows = rows(&GPUS[0], n, devices, false, latency);
                for (row, is_scan) in rows.iter().zip([true, false]) {
                    let replayed = replayed(&GPUS[0], n, devices, &latencies, is_scan);
                    let off = row.ms / replayed - 1.0;
                    let what = (devices, latency, row.operation);
                    assert!(off.abs() < 0.04, "{what:?}: {} {replayed}", row.ms);
                }
            }
        }
    }

    #[test]
    fn what_bounds_the_work_is_named() {
        let bounds = |devices, n: f64| -> Vec<&str> {
            let rows = rows(&GPUS[0], n, devices, true, 0.005);
            rows.iter().map(|row| row.bound).collect()
        };
        assert_eq!(bounds(2, MEASURED), ["memory"; 3]);
        assert_eq!(bounds(4, MEASURED), ["link", "memory", "memory"]);
        assert_eq!(bounds(2, 1e6), ["calls"; 3]);
        // Those of several machines share no memory, and wait for messages.
        assert_eq!(bounds(1024, MEASURED), ["calls"; 2]);
        assert_eq!(bounds(1, MEASURED), ["memory"; 2]);
    }
}
