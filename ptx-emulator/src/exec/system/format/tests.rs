//! Formats against what ISO C says, and what a C library prints.

use super::*;

struct Fixed(Vec<u64>);

impl Arguments for Fixed {
    type Error = ();
    fn next(&mut self, _bytes: u32) -> Result<u64, ()> {
        if self.0.is_empty() {
            return Err(());
        }
        Ok(self.0.remove(0))
    }
    fn text(&mut self, address: u64) -> Result<Vec<u8>, ()> {
        Ok(format!("text{address}").into_bytes())
    }
}

fn say(text: &str, arguments: &[u64]) -> String {
    let (out, count) = format(text.as_bytes(), &mut Fixed(arguments.to_vec())).unwrap();
    assert_eq!(count as usize, arguments.len(), "{text}");
    String::from_utf8(out).unwrap()
}

#[test]
fn integers() {
    let minus = (-42i32) as u32 as u64;
    for (text, value, expected) in [
        ("%d", minus, "-42"),
        ("%i|", 7, "7|"),
        ("%u", minus, "4294967254"),
        ("%x", 0xbeef, "beef"),
        ("%#X", 0xbeef, "0XBEEF"),
        ("%#x", 0, "0"),
        ("%o", 8, "10"),
        ("%#o", 8, "010"),
        ("%5d|", 42, "   42|"),
        ("%-5d|", 42, "42   |"),
        ("%05d", minus, "-0042"),
        ("%+d", 42, "+42"),
        ("% d", 42, " 42"),
        ("%.4d", 42, "0042"),
        ("%07.4d", 42, "   0042"),
        ("%.0d|", 0, "|"),
        ("%hhd", 0x1ff, "-1"),
        ("%hu", 0x1_0005, "5"),
        ("%c", 65, "A"),
        ("%3c|", 65, "  A|"),
        ("%ld", (-5i64) as u64, "-5"),
        ("%lld", i64::MIN as u64, "-9223372036854775808"),
        ("%llu", u64::MAX, "18446744073709551615"),
        ("%llx", u64::MAX, "ffffffffffffffff"),
        ("%zu", 9, "9"),
        ("%p", 0x7f00, "0x7f00"),
        ("%p", 0, "(nil)"),
    ] {
        assert_eq!(say(text, &[value]), expected, "{text}");
    }
}

#[test]
fn floating_point() {
    for (text, value, expected) in [
        ("%f", 1.5, "1.500000"),
        ("%.2f", 2.675, "2.67"),
        ("%.0f", 2.5, "2"),
        ("%#.0f", 3.0, "3."),
        ("%8.3f|", -1.5, "  -1.500|"),
        ("%08.3f", -1.5, "-001.500"),
        ("%e", 12345.678, "1.234568e+04"),
        ("%.2E", 1e-7, "1.00E-07"),
        ("%e", 0.0, "0.000000e+00"),
        ("%e", 1e100, "1.000000e+100"),
        ("%g", 100000.0, "100000"),
        ("%g", 1000000.0, "1e+06"),
        ("%g", 0.0001, "0.0001"),
        ("%g", 0.00001, "1e-05"),
        ("%g", 0.1, "0.1"),
        ("%.3g", 1234.5, "1.23e+03"),
        ("%#g", 1.0, "1.00000"),
        ("%g", 0.0, "0"),
        ("%.17g", 0.1, "0.10000000000000001"),
        ("%G", 1e-10, "1E-10"),
        ("%f", f64::INFINITY, "inf"),
        ("%F", f64::NEG_INFINITY, "-INF"),
        ("%010f", f64::NAN, "       nan"),
        ("%a", 1.0, "0x1p+0"),
        ("%a", 0.0, "0x0p+0"),
        ("%a", -0.1, "-0x1.999999999999ap-4"),
        ("%A", 255.5, "0X1.FFP+7"),
        ("%.1a", 1.96875, "0x2.0p+0"),
        ("%.1a", 1.09375, "0x1.2p+0"),
        ("%a", 5e-324, "0x0.0000000000001p-1022"),
        ("%012a", 1.0, "0x0000001p+0"),
    ] {
        assert_eq!(say(text, &[value.to_bits()]), expected, "{text} {value}");
    }
}

#[test]
fn texts_stars_and_what_is_no_directive() {
    assert_eq!(say("%s and %.3s|", &[1, 2]), "text1 and tex|");
    assert_eq!(say("%8s|%-8s|", &[1, 2]), "   text1|text2   |");
    assert_eq!(say("%s", &[0]), "(null)");
    let minus = (-6i32) as u32 as u64;
    assert_eq!(say("%*d|%*d|", &[5, 42, minus, 42]), "   42|42    |");
    assert_eq!(say("%.*f", &[2, 1.0f64.to_bits()]), "1.00");
    assert_eq!(say("100%% %k %", &[]), "100% %k %");
}
