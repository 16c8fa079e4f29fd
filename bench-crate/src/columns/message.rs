//! Columns as bytes, which another process of this program reads.

use super::block::{Column, Numbers, Texts};
use super::number::Scalar;

/// What texts have in the place of the number of a type.
const TEXT: u64 = u64::MAX;

/// The cells of columns.
pub(crate) fn to_bytes(columns: &[&Column]) -> Vec<u8> {
    let mut message = Vec::new();
    let mut put = |kind: u64, parts: [&[u8]; 2]| {
        for word in [kind, parts[0].len() as u64, parts[1].len() as u64] {
            message.extend(word.to_le_bytes());
        }
        parts.iter().for_each(|part| message.extend(*part));
    };
    for column in columns {
        match column {
            Column::Text(texts) => {
                let ends: Vec<u64> = texts.ends().map(|end| end as u64).collect();
                put(TEXT, [texts.all().as_bytes(), bytemuck::cast_slice(&ends)]);
            }
            Column::Numbers(numbers) => {
                let kind = Scalar::ALL.iter().position(|of| *of == numbers.scalar);
                let absent: Vec<u8> = numbers.absent.iter().map(|is| u8::from(*is)).collect();
                put(kind.map_or(TEXT, |k| k as u64), [&numbers.bytes, &absent]);
            }
        }
    }
    message
}

/// The columns of which [`to_bytes`] made these, up to where they are something else.
pub(crate) fn from_bytes(mut bytes: &[u8]) -> Vec<Column> {
    let mut columns = Vec::new();
    while let Some(column) = next(&mut bytes) {
        columns.push(column);
    }
    columns
}

fn next(bytes: &mut &[u8]) -> Option<Column> {
    let mut word = || {
        let (word, rest) = bytes.split_first_chunk::<8>()?;
        *bytes = rest;
        Some(u64::from_le_bytes(*word))
    };
    let (kind, first, second) = (word()?, word()? as usize, word()? as usize);
    let (first, rest) = bytes.split_at_checked(first)?;
    let (second, rest) = rest.split_at_checked(second)?;
    *bytes = rest;
    if kind == TEXT {
        let ends = second.chunks_exact(8);
        let ends = ends.map(|end| bytemuck::pod_read_unaligned::<u64>(end) as usize);
        let all = std::str::from_utf8(first).ok()?;
        return Some(Column::Text(Texts::of(all, ends.collect())));
    }
    Some(Column::Numbers(Numbers {
        scalar: *Scalar::ALL.get(kind as usize)?,
        bytes: first.to_vec(),
        absent: second.iter().map(|is| *is != 0).collect(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_come_out_as_they_went_in() {
        let texts = ["", "é", "a,b", ""];
        let columns = [
            Column::of(&[1_u8, 2, 3, 255]),
            Column::of_texts(texts.into_iter()),
            Column::of_some([Some(-0.0), None, Some(f64::NAN), None].into_iter(), 7.0),
        ];
        let message = to_bytes(&columns.iter().collect::<Vec<_>>());
        let found = from_bytes(&message);
        assert_eq!(format!("{found:?}"), format!("{columns:?}"));
        // One that was cut off has fewer.
        assert_eq!(from_bytes(&message[..message.len() - 1]).len(), 2);
        assert!(from_bytes(&[]).is_empty());
    }
}
