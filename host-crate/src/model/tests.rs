use super::*;

fn h200(table: &str) -> Vec<Record> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../docs/records/2026-11-21-h200.jsonl"
    );
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str::<Record>(line).unwrap())
        .filter(|record| record.table == table)
        .collect()
}

#[test]
fn show() {
    for table in ["sweep-f64", "sweep-f32"] {
        let e = explain(&h200(table)).unwrap();
        for f in [e.kernel, e.span, e.published].into_iter().flatten() {
            println!("{table} {} {:?}", f.name, f.median_error);
            for c in &f.constants {
                println!("   {} {} {}", c.name, c.value, c.unit);
            }
            let worst = f
                .cells
                .iter()
                .max_by(|a, b| a.error().abs().total_cmp(&b.error().abs()))
                .unwrap();
            println!("   worst {worst:?}");
        }
        let b = page::of(table).unwrap().best.as_ref().unwrap();
        println!("best {} {:?}", b.0, b.1.median_error);
        for t in e.text {
            println!("{t}\n");
        }
    }
}
