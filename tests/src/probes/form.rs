//! One instruction form: its PTX, what it is given, what it gives, and how
//! closely a device has to agree with another.

use super::operands::Domain;

/// Where an instruction leaves its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The predicate `%p`.
    Predicate,
    /// `%ho`, 16 bits.
    W16,
    /// `%ro`, 32 bits.
    W32,
    /// `%o`, 64 bits.
    W64,
}

impl Place {
    /// Hexadecimal digits of a result.
    pub fn digits(self) -> usize {
        match self {
            Place::Predicate => 1,
            Place::W16 => 4,
            Place::W32 => 8,
            Place::W64 => 16,
        }
    }

    fn register(self) -> &'static str {
        match self {
            Place::Predicate => "%p",
            Place::W16 => "%ho",
            Place::W32 => "%ro",
            Place::W64 => "%o",
        }
    }

    fn to_word(self) -> &'static str {
        match self {
            Place::Predicate => "selp.b64 %o, 1, 0, %p;",
            Place::W16 => "cvt.u64.u16 %o, %ho;",
            Place::W32 => "cvt.u64.u32 %o, %ro;",
            Place::W64 => "",
        }
    }
}

/// How close two devices have to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Agreement {
    /// Bit for bit.
    Exact,
    /// Two f32 whose difference is at most this part of the larger one. NaN
    /// agrees with NaN; infinities and the signs of zeros must be the same.
    Relative(f64),
    /// Two f32 whose difference is at most this; otherwise as `Relative`.
    Absolute(f64),
    /// As `Relative` by the first number, or as `Absolute` by the second.
    Either(f64, f64),
    /// Two f64, as `Relative`.
    Relative64(f64),
    /// Two f16, or with `true` bf16, as `Relative`.
    Relative16(f64, bool),
}

/// One instruction form.
#[derive(Clone, Debug)]
pub struct Form {
    /// The instruction, or what tells it from others of the same name.
    pub name: String,
    /// PTX that computes the result.
    pub body: String,
    /// What the registers a, b, c hold.
    pub operands: Vec<Domain>,
    /// Where the result is.
    pub place: Place,
    /// How close two devices have to be.
    pub agreement: Agreement,
    /// For operands of which PTX leaves the result open, the reason.
    pub open: fn(&[u64; 3]) -> Option<&'static str>,
}

impl Form {
    /// `opcode` with a destination and the operands as its sources.
    pub fn new(opcode: impl Into<String>, place: Place, operands: &[Domain]) -> Form {
        let name = opcode.into();
        let sources: Vec<&str> = operands
            .iter()
            .enumerate()
            .map(|(index, domain)| domain.register(index))
            .collect();
        let body = format!("{name} {}, {};", place.register(), sources.join(", "));
        Form::of(name, body, place, operands)
    }

    /// Any PTX. It may use the registers of [`Form::kernel`].
    pub fn of(
        name: impl Into<String>,
        body: impl Into<String>,
        place: Place,
        operands: &[Domain],
    ) -> Form {
        Form {
            name: name.into(),
            body: body.into(),
            operands: operands.to_vec(),
            place,
            agreement: Agreement::Exact,
            open: |_| None,
        }
    }

    /// The same form with another agreement.
    #[must_use]
    pub fn within(mut self, agreement: Agreement) -> Form {
        self.agreement = agreement;
        self
    }

    /// The same form where PTX leaves some results open.
    #[must_use]
    pub fn open(mut self, open: fn(&[u64; 3]) -> Option<&'static str>) -> Form {
        self.open = open;
        self
    }

    /// The form as the entry `name(operands, results)`: thread i reads three
    /// words at `operands + 24 i` and writes a word at `results + 8 i`.
    ///
    /// The words are `%a %b %c`, their low halves `%ra %rb %rc`, the low 16
    /// bits `%ha %hb %hc`. Free for the body: `%p %q`, `%t0` to `%t7` (32
    /// bits), `%u0` to `%u7` (64 bits), the 8 bytes of shared memory at
    /// `[%cell]`, and the result's own 8 bytes of global memory at `[%result]`.
    pub fn kernel(&self, name: &str) -> String {
        let Form { body, place, .. } = self;
        let to_word = place.to_word();
        format!(
            ".visible .entry {name}(.param .u64 {name}_operands, .param .u64 {name}_results) {{\n\
             .reg .b64 %a, %b, %c, %o, %result, %u<8>;\n\
             .reg .b32 %ra, %rb, %rc, %ro, %cell, %t<8>;\n\
             .reg .b16 %ha, %hb, %hc, %ho, %h<4>;\n\
             .reg .pred %p, %q;\n\
             mov.u32 %t0, %tid.x;\n\
             ld.param.u64 %u0, [{name}_operands];\n\
             cvta.to.global.u64 %u0, %u0;\n\
             mad.wide.u32 %u0, %t0, 24, %u0;\n\
             ld.param.u64 %result, [{name}_results];\n\
             cvta.to.global.u64 %result, %result;\n\
             mad.wide.u32 %result, %t0, 8, %result;\n\
             mov.u32 %cell, cells;\n\
             mad.lo.u32 %cell, %t0, 8, %cell;\n\
             ld.global.b64 %a, [%u0]; ld.global.b64 %b, [%u0+8]; ld.global.b64 %c, [%u0+16];\n\
             cvt.u32.u64 %ra, %a; cvt.u32.u64 %rb, %b; cvt.u32.u64 %rc, %c;\n\
             cvt.u16.u64 %ha, %a; cvt.u16.u64 %hb, %b; cvt.u16.u64 %hc, %c;\n\
             {body}\n\
             {to_word}\n\
             st.global.b64 [%result], %o;\n\
             ret;\n}}\n"
        )
    }
}

impl Form {
    /// The operands of a case, in hexadecimal.
    pub fn show(&self, case: &[u64; 3]) -> String {
        let words = self.operands.iter().zip(case);
        let shown: Vec<String> = words
            .map(|(domain, word)| match domain.bits() {
                64 => format!("{word:016x}"),
                16 => format!("{:04x}", word & 0xffff),
                _ => format!("{:08x}", word & 0xffff_ffff),
            })
            .collect();
        shown.join(", ")
    }
}

impl Domain {
    /// The register of operand `index` that holds such a value.
    fn register(self, index: usize) -> &'static str {
        match self {
            Domain::F64 | Domain::I64 => ["%a", "%b", "%c"][index],
            Domain::F16 | Domain::BF16 | Domain::I16 => ["%ha", "%hb", "%hc"][index],
            _ => ["%ra", "%rb", "%rc"][index],
        }
    }
}

impl Agreement {
    /// Whether `found` is close enough to `recorded`.
    pub fn holds(self, recorded: u64, found: u64) -> bool {
        let f32_of = |bits: u64| f64::from(f32::from_bits(bits as u32));
        match self {
            Agreement::Exact => recorded == found,
            Agreement::Relative(part) => close(f32_of(recorded), f32_of(found), |x| x * part),
            Agreement::Absolute(most) => close(f32_of(recorded), f32_of(found), |_| most),
            Agreement::Either(part, most) => {
                close(f32_of(recorded), f32_of(found), |x| most.max(x * part))
            }
            Agreement::Relative64(part) => {
                close(f64::from_bits(recorded), f64::from_bits(found), |x| {
                    x * part
                })
            }
            Agreement::Relative16(part, brain) => {
                let value = |bits: u64| {
                    if brain {
                        f64::from(f32::from_bits((bits as u32 & 0xffff) << 16))
                    } else {
                        half(bits as u16)
                    }
                };
                close(value(recorded), value(found), |x| x * part)
            }
        }
    }
}

fn close(recorded: f64, found: f64, allowed: impl Fn(f64) -> f64) -> bool {
    if recorded.is_nan() || found.is_nan() {
        return recorded.is_nan() && found.is_nan();
    }
    if recorded == found {
        return recorded.is_sign_negative() == found.is_sign_negative();
    }
    recorded.is_finite()
        && found.is_finite()
        && (recorded - found).abs() <= allowed(recorded.abs().max(found.abs()))
}

/// The value of an f16.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 0x3ff));
    sign * match exponent {
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        0 => fraction * 2f64.powi(-24),
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(x: f32) -> u64 {
        u64::from(x.to_bits())
    }

    #[test]
    fn exact_is_bit_for_bit() {
        assert!(Agreement::Exact.holds(5, 5));
        assert!(!Agreement::Exact.holds(bits(0.0), bits(-0.0)));
        assert!(!Agreement::Exact.holds(0x7fff_ffff, 0x7fc0_0000));
    }

    #[test]
    fn relative_allows_a_part_and_keeps_signs_of_zero_infinities_and_nans() {
        let close = Agreement::Relative(0.5);
        assert!(close.holds(bits(2.0), bits(3.0)));
        assert!(!close.holds(bits(2.0), bits(5.0)));
        assert!(!close.holds(bits(0.0), bits(-0.0)));
        assert!(!close.holds(bits(f32::INFINITY), bits(f32::MAX)));
        assert!(!close.holds(bits(f32::NAN), bits(1.0)));
        assert!(close.holds(bits(f32::NAN), 0x7fff_ffff));
    }

    #[test]
    fn sixteen_bits_are_read_as_their_format_says() {
        // 0x3c00 is 1 in f16 and 2^-7 in bf16; 0x0001 is 2^-24 in f16.
        assert_eq!(half(0x3c00), 1.0);
        assert_eq!(half(0x0001), 2f64.powi(-24));
        assert_eq!(half(0xfbff), -65504.0);
        assert!(Agreement::Relative16(0.01, true).holds(0x3f80, 0x3f81));
        assert!(!Agreement::Relative16(0.001, true).holds(0x3f80, 0x3f81));
    }
}
