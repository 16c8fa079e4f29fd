//! The test against published tables, against simulated runs, and against real
//! ones: false verdicts and power.

use serde::Deserialize;

use super::*;

fn of(draws: &[f64]) -> Timing {
    let one = |&ms: &f64| Timing::from_samples(vec![ms]);
    let each: Vec<Timing> = draws.iter().filter_map(one).collect();
    match Timing::of_processes(&each) {
        Some(timing) => timing,
        None => panic!("no draws"),
    }
}

#[test]
fn the_critical_values_are_the_published_ones() {
    // Two-sided at 5 % and at 1 %, as in every table of the statistic.
    for (n, m, five, one) in [
        (3, 3, None, None),
        (4, 4, Some(0), None),
        (5, 5, Some(2), Some(0)),
        (8, 8, Some(13), Some(7)),
        (8, 10, Some(17), Some(11)),
        (10, 10, Some(23), Some(16)),
        (20, 20, Some(127), Some(105)),
    ] {
        assert_eq!(largest_tail(n, m, 0.025), five, "{n} {m}");
        assert_eq!(largest_tail(m, n, 0.005), one, "{n} {m}");
    }
}

#[test]
fn the_probabilities_are_counts_of_orders() {
    // 20 ways to choose 3 of 6 places, counted by hand.
    let counts = [1.0, 1.0, 2.0, 3.0, 3.0, 3.0, 3.0, 2.0, 1.0, 1.0];
    let got = probabilities(3, 3);
    assert_eq!(got.len(), counts.len());
    for (p, count) in got.iter().zip(counts) {
        assert!((p - count / 20.0).abs() < 1e-12, "{got:?}");
    }
    assert!((probabilities(12, 7).iter().sum::<f64>() - 1.0).abs() < 1e-12);
}

#[test]
fn the_interval_cuts_off_as_many_pairs_as_the_test_allows() {
    // 1 %, 5 against 5: k = 0, so that the interval goes from the smallest ratio
    // to the largest.
    let then = of(&[1.0, 1.01, 1.02, 1.03, 1.04]);
    let now = of(&[2.0, 2.02, 2.04, 2.06, 2.08]);
    let ratio = Judge::new(0.0, 1).ratio(&then, &now);
    let Some(ratio) = ratio else { panic!("none") };
    assert_eq!((ratio.low, ratio.high), (2.0 / 1.04, 2.08));
    assert!((ratio.estimate - 2.0).abs() < 0.02, "{ratio:?}");
}

#[test]
fn a_change_beyond_the_margin_is_told_and_one_within_it_is_not() {
    let judge = |change: f64, margin: f64| {
        let then: Vec<f64> = (0..12).map(|i| 1.0 + 0.0001 * f64::from(i)).collect();
        let now: Vec<f64> = then.iter().map(|ms| ms * change).collect();
        let (then, now) = (of(&then), of(&now));
        let mut judge = Judge::new(margin, 100);
        let ratio = judge.ratio(&then, &now);
        judge.verdict(&then, ratio)
    };
    assert_eq!(judge(1.03, 0.02), Verdict::Slower);
    assert_eq!(judge(1.0 / 1.03, 0.02), Verdict::Faster);
    assert_eq!(judge(1.019, 0.02), Verdict::NotDistinguishable);
    assert_eq!(judge(1.03, 0.04), Verdict::NotDistinguishable);
    assert_eq!(judge(1.03, 0.0), Verdict::Slower);
}

#[test]
fn a_change_of_what_a_launch_costs_is_none() {
    // 0.1 us of 3 us are more than 2 %.
    let (then, now) = (of(&[0.003; 12]), of(&[0.0031; 12]));
    let mut judge = Judge::new(MARGIN, 1);
    let ratio = judge.ratio(&then, &now);
    assert_eq!(judge.verdict(&then, ratio), Verdict::NotDistinguishable);
    let now = of(&[0.0033; 12]);
    let ratio = judge.ratio(&then, &now);
    assert_eq!(judge.verdict(&then, ratio), Verdict::Slower);
}

#[test]
fn too_few_processes_are_said_to_be_too_few() {
    // 2 / C(6, 3) = 10 % is more than 1 %; 2 / C(10, 5) = 0.8 % is not, for one row.
    let verdict = |count: usize, rows: usize| {
        let (then, now) = (of(&vec![1.0; count]), of(&vec![9.0; count]));
        let mut judge = Judge::new(MARGIN, rows);
        let ratio = judge.ratio(&then, &now);
        judge.verdict(&then, ratio)
    };
    assert_eq!(verdict(1, 1), Verdict::TooFew);
    assert_eq!(verdict(3, 1), Verdict::TooFew);
    assert_eq!(verdict(5, 1), Verdict::Slower);
    assert_eq!(verdict(5, 100), Verdict::TooFew);
    assert_eq!(verdict(12, 100), Verdict::Slower);
}

#[test]
fn the_resolution_is_the_smallest_slow_down_that_is_told() {
    let values: Vec<f64> = (0..12).map(|i| 1.0 + 0.001 * f64::from(i)).collect();
    let then = of(&values);
    let mut judge = Judge::new(MARGIN, 100);
    let Some(ratio) = judge.ratio(&then, &then) else {
        panic!("too few")
    };
    let least = judge.resolution(&then, ratio);
    for (change, want) in [
        (least + 1e-6, Verdict::Slower),
        (least - 1e-6, Verdict::NotDistinguishable),
    ] {
        let slower: Vec<f64> = values.iter().map(|ms| ms * (1.0 + change)).collect();
        let ratio = judge.ratio(&then, &of(&slower));
        assert_eq!(judge.verdict(&then, ratio), want, "{change}");
    }
}

/// A process of a simulated machine: it is in one of two states, and scatters.
fn draw(random: &mut fastrand::Rng) -> f64 {
    let heap = if random.bool() { 1.01 } else { 1.0 };
    // Twelve uniform numbers less their mean: nearly normal.
    let noise: f64 = (0..12).map(|_| random.f64()).sum::<f64>() - 6.0;
    1000.0 * heap * (1.0 + 0.002 * noise)
}

/// How many of `times` comparisons of 100 equal rows have a false verdict.
fn false_alarms(times: usize, mut side: impl FnMut() -> Timing) -> usize {
    let mut runs = 0;
    for _ in 0..times {
        // No margin: the test alone.
        let mut judge = Judge::new(0.0, 100);
        let mut wrong = false;
        for _ in 0..100 {
            let (then, now) = (side(), side());
            let ratio = judge.ratio(&then, &now);
            wrong |= judge.verdict(&then, ratio) != Verdict::NotDistinguishable;
        }
        runs += usize::from(wrong);
    }
    runs
}

#[test]
fn of_a_hundred_equal_rows_none_is_told_in_99_of_100_comparisons() {
    let mut random = fastrand::Rng::with_seed(20_261_121);
    let side = || of(&[(); 12].map(|()| draw(&mut random)));
    // With a chance of 1 %, more than 8 of 200 come once in 4000 times.
    let wrong = false_alarms(200, side);
    assert!(wrong <= 8, "{wrong} of 200");
}

#[test]
fn samples_of_one_process_would_raise_false_alarms() {
    // Why draws are processes: twelve samples that scatter by 0.02 % around what
    // their process drew.
    let mut random = fastrand::Rng::with_seed(20_261_121);
    let side = || {
        let process = draw(&mut random);
        of(&[(); 12].map(|()| process * (1.0 + 0.0002 * (random.f64() - 0.5))))
    };
    assert_eq!(false_alarms(5, side), 5);
}

#[derive(Deserialize)]
struct Recorded {
    rows: Vec<RecordedRow>,
}

#[derive(Deserialize)]
struct RecordedRow {
    cell: String,
    processes: Vec<Vec<f64>>,
}

/// 66 kernels of the same code in 14 processes on an H200, by table.
fn recorded() -> Vec<Vec<RecordedRow>> {
    let text = include_str!("../../tests/fixtures/h200-processes.json");
    let all: Recorded = match serde_json::from_str(text) {
        Ok(recorded) => recorded,
        Err(e) => panic!("{e}"),
    };
    assert_eq!(all.rows.len(), 66);
    let mut tables: Vec<Vec<RecordedRow>> = Vec::new();
    for row in all.rows {
        // Seven processes a side give verdicts on up to 17 rows.
        match tables.last_mut() {
            Some(table) if table.len() < 15 => table.push(row),
            _ => tables.push(vec![row]),
        }
    }
    tables
}

/// Two sides of seven processes each, those in `now` slowed by `factor`.
fn sides(row: &RecordedRow, is_now: impl Fn(usize) -> bool, factor: f64) -> [Timing; 2] {
    [false, true].map(|side| {
        let factor = if side { factor } else { 1.0 };
        let chosen = row.processes.iter().enumerate();
        let chosen = chosen.filter(|(index, _)| is_now(*index) == side);
        let timings: Vec<Timing> = chosen
            .filter_map(|(_, samples)| {
                Timing::from_samples(samples.iter().map(|ms| ms * factor).collect())
            })
            .collect();
        assert_eq!(timings.len(), 7);
        match Timing::of_processes(&timings) {
            Some(timing) => timing,
            None => panic!("no samples"),
        }
    })
}

/// Every split of the 14 processes in two sides of seven, number 0 on the first.
fn splits() -> impl Iterator<Item = u32> {
    (0..1 << 13)
        .filter(|mask: &u32| mask.count_ones() == 7)
        .map(|mask| mask << 1)
}

#[test]
fn real_runs_of_the_same_code_have_no_false_verdict_in_99_of_100_splits() {
    let (mut wrong, mut all, mut rows) = (0, 0, Vec::new());
    let tables = recorded();
    for table in &tables {
        // The first seven against the last seven too, hours being what they are.
        for mask in splits().step_by(4).chain([0b11_1111_1000_0000]) {
            let mut judge = Judge::new(MARGIN, table.len());
            let mut told = false;
            for row in table {
                let [then, now] = sides(row, |index| mask >> index & 1 == 1, 1.0);
                let ratio = judge.ratio(&then, &now);
                let verdict = judge.verdict(&then, ratio);
                assert_ne!(verdict, Verdict::TooFew);
                if verdict != Verdict::NotDistinguishable {
                    told = true;
                    rows.push(&row.cell);
                }
            }
            wrong += usize::from(told);
            all += 1;
        }
    }
    assert!(100 * wrong <= all, "{wrong} of {all}: {rows:?}");
}

#[test]
fn kernels_of_ten_microseconds_and_more_slowed_by_3_percent_are_found() {
    let (mut found, mut all, mut missed) = (0, 0, Vec::new());
    let splits: Vec<u32> = splits().step_by(100).collect();
    let tables = recorded();
    for table in &tables {
        let mut judge = Judge::new(MARGIN, table.len());
        for row in table.iter().filter(|row| row.processes[0][0] >= 0.01) {
            for mask in &splits {
                let [then, now] = sides(row, |index| mask >> index & 1 == 1, 1.03);
                let ratio = judge.ratio(&then, &now);
                all += 1;
                match judge.verdict(&then, ratio) {
                    Verdict::Slower => found += 1,
                    _ => missed.push(&row.cell),
                }
            }
        }
    }
    // Seven processes a side, and every pair has to be in order: runs have twelve.
    assert!(4 * found >= 3 * all, "{found} of {all}: {missed:?}");
}

/// A run of twelve processes, each like one of the fourteen, slowed by `factor`.
fn run_like(row: &RecordedRow, random: &mut fastrand::Rng, factor: f64) -> Timing {
    let timings: Vec<Timing> = [(); 12]
        .into_iter()
        .filter_map(|()| {
            let samples = &row.processes[random.usize(0..row.processes.len())];
            Timing::from_samples(samples.iter().take(3).map(|ms| ms * factor).collect())
        })
        .collect();
    match Timing::of_processes(&timings) {
        Some(timing) => timing,
        None => panic!("no samples"),
    }
}

/// Verdicts on all rows in twenty pairs of such runs, with the time of the row.
fn twenty_pairs(factor: f64) -> Vec<(f64, Verdict)> {
    let mut random = fastrand::Rng::with_seed(20_261_121);
    let rows: Vec<RecordedRow> = recorded().into_iter().flatten().collect();
    let mut judge = Judge::new(MARGIN, rows.len());
    let mut verdicts = Vec::new();
    for _ in 0..20 {
        for row in &rows {
            let then = run_like(row, &mut random, 1.0);
            let now = run_like(row, &mut random, factor);
            let ratio = judge.ratio(&then, &now);
            verdicts.push((then.median_ms, judge.verdict(&then, ratio)));
        }
    }
    verdicts
}

#[test]
fn twenty_pairs_of_runs_of_the_same_code_raise_at_most_one_false_verdict() {
    let told = twenty_pairs(1.0);
    let told = told
        .iter()
        .filter(|row| row.1 != Verdict::NotDistinguishable);
    assert!(told.count() <= 1);
}

#[test]
fn twelve_processes_find_a_slow_down_of_3_percent_in_nine_of_ten_kernels() {
    let verdicts = twenty_pairs(1.03);
    assert!(verdicts.iter().all(|row| row.1 != Verdict::Faster));
    let long: Vec<Verdict> = verdicts
        .iter()
        .filter(|row| row.0 >= 0.01)
        .map(|row| row.1)
        .collect();
    let found = long.iter().filter(|&&verdict| verdict == Verdict::Slower);
    let found = found.count();
    assert!(10 * found >= 9 * long.len(), "{found} of {}", long.len());
}
