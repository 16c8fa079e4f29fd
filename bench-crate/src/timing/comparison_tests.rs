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
    let Ok(ratio) = ratio else { panic!("none") };
    assert_eq!((ratio.low, ratio.high), (2.0 / 1.04, 2.08));
    assert!((ratio.estimate - 2.0).abs() < 0.02, "{ratio:?}");
}

#[test]
fn a_change_beyond_the_margin_is_told_and_one_within_it_is_not() {
    let judge = |change: f64, margin: f64| {
        let then: Vec<f64> = (0..16).map(|i| 1.0 + 0.0001 * f64::from(i)).collect();
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
fn sixteen_processes_cut_off_all_ratios_of_one_process_and_twelve_do_not() {
    // Critical values of Mann and Whitney for 1 % / 2 / rows.
    for (processes, rows, cut) in [(16, 100, 30), (16, 165, 28), (16, 300, 25), (12, 100, 9)] {
        let judge = Judge::new(MARGIN, rows);
        let tail = largest_tail(processes, processes, judge.chance / 2.0);
        assert_eq!(tail, Some(cut), "{processes} {rows}");
    }
}

#[test]
fn one_odd_process_of_165_rows_hides_no_slow_down() {
    let verdict = |count: usize, odd: bool, factor: f64| {
        let then = vec![1.0; count];
        let mut now = vec![factor; count];
        if odd {
            now[3] = 0.9;
        }
        let (then, now) = (of(&then), of(&now));
        let mut judge = Judge::new(MARGIN, 165);
        let ratio = judge.ratio(&then, &now);
        judge.verdict(&then, ratio)
    };
    for factor in [1.03, 1.5, 100.0] {
        assert_eq!(verdict(16, true, factor), Verdict::Slower, "{factor}");
        assert_eq!(verdict(12, false, factor), Verdict::Slower, "{factor}");
        // The odd one sets the end of the interval: that is no verdict of equality.
        assert_eq!(verdict(12, true, factor), Verdict::Undecided, "{factor}");
    }
    assert_eq!(verdict(12, true, 1.0), Verdict::TooFew);
    assert_eq!(verdict(16, true, 1.0), Verdict::NotDistinguishable);
    assert_eq!(verdict(32, true, 1.0), Verdict::NotDistinguishable);
}

#[test]
fn an_estimate_beyond_the_margin_without_a_verdict_is_undecided() {
    // Nine of sixteen processes are slower by 10 %, the others are not.
    let mut now = vec![1.0; 7];
    now.extend([1.1; 9]);
    let (then, now) = (of(&[1.0; 16]), of(&now));
    let mut judge = Judge::new(MARGIN, 100);
    for (then, now) in [(&then, &now), (&now, &then)] {
        let ratio = judge.ratio(then, now);
        assert!(ratio.is_ok_and(|ratio| !ratio.by_one));
        assert_eq!(judge.verdict(then, ratio), Verdict::Undecided);
    }
}

#[test]
fn what_is_no_time_has_no_verdict() {
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let mut values = [1.0; 16];
        values[15] = wrong;
        let (good, bad) = (of(&[1.0; 16]), of(&values));
        let mut judge = Judge::new(MARGIN, 1);
        for (then, now) in [(&good, &bad), (&bad, &good)] {
            let ratio = judge.ratio(then, now);
            assert_eq!(judge.verdict(then, ratio), Verdict::NoTime, "{wrong}");
        }
    }
}

#[test]
fn the_noise_of_samples_around_zero_is_a_number() {
    let timing = Timing::from_samples(vec![-1.0, 0.0, 0.0, 1.0, 2.0, -2.0]);
    assert!(timing.is_some_and(|timing| timing.noise.is_finite()));
}

#[test]
fn the_resolution_is_the_smallest_slow_down_that_is_told() {
    let values: Vec<f64> = (0..16).map(|i| 1.0 + 0.001 * f64::from(i)).collect();
    let then = of(&values);
    let mut judge = Judge::new(MARGIN, 100);
    let Ok(ratio) = judge.ratio(&then, &then) else {
        panic!("too few")
    };
    let least = judge.resolution(&then, ratio);
    for (change, want) in [
        (least + 1e-6, Verdict::Slower),
        (least - 1e-6, Verdict::Undecided),
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

fn is_told(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Faster | Verdict::Slower)
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
            wrong |= is_told(judge.verdict(&then, ratio));
        }
        runs += usize::from(wrong);
    }
    runs
}

#[test]
fn of_a_hundred_equal_rows_none_is_told_in_99_of_100_comparisons() {
    let mut random = fastrand::Rng::with_seed(20_261_121);
    let side = || of(&[(); 16].map(|()| draw(&mut random)));
    let wrong = false_alarms(200, side);
    assert!(wrong <= 2, "{wrong} of 200");
}

#[test]
fn samples_of_one_process_would_raise_false_alarms() {
    // Why draws are processes: sixteen samples that scatter by 0.02 % around what
    // their process drew.
    let mut random = fastrand::Rng::with_seed(20_261_121);
    let side = || {
        let process = draw(&mut random);
        of(&[(); 16].map(|()| process * (1.0 + 0.0002 * (random.f64() - 0.5))))
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
fn no_split_of_real_runs_of_the_same_code_has_a_false_verdict() {
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
                assert!(ratio.is_ok());
                if is_told(verdict) {
                    told = true;
                    rows.push(&row.cell);
                }
            }
            wrong += usize::from(told);
            all += 1;
        }
    }
    assert_eq!(wrong, 0, "of {all}: {rows:?}");
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
    // Seven processes a side, and every pair has to be in order: runs have sixteen.
    assert!(6 * found >= 5 * all, "{found} of {all}: {missed:?}");
}

/// A run of sixteen processes, each like one of the fourteen, slowed by `factor`.
fn run_like(row: &RecordedRow, random: &mut fastrand::Rng, factor: f64) -> Timing {
    let timings: Vec<Timing> = [(); 16]
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
fn twenty_pairs_drawn_from_the_same_runs_raise_no_false_verdict() {
    let told = twenty_pairs(1.0);
    let told = told.iter().filter(|row| is_told(row.1)).count();
    assert_eq!(told, 0);
}

#[test]
fn sixteen_processes_find_a_slow_down_of_3_percent_in_19_of_20_kernels() {
    let verdicts = twenty_pairs(1.03);
    assert!(verdicts.iter().all(|row| row.1 != Verdict::Faster));
    let long: Vec<Verdict> = verdicts
        .iter()
        .filter(|row| row.0 >= 0.01)
        .map(|row| row.1)
        .collect();
    let found = long.iter().filter(|&&verdict| verdict == Verdict::Slower);
    let found = found.count();
    assert!(20 * found >= 19 * long.len(), "{found} of {}", long.len());
}
