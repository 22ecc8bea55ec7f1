//! The parameter buffer of a kernel, built on the stack.

/// Bytes that the parameters of most calls fit in.
const USUAL: usize = 512;

/// Bytes at the offsets that C gives the fields of a struct.
#[derive(Debug)]
pub(super) struct Params {
    usual: [u8; USUAL],
    len: usize,
    /// All of the bytes, where they do not fit.
    more: Vec<u8>,
}

impl Default for Params {
    fn default() -> Params {
        Params { usual: [0; USUAL], len: 0, more: Vec::new() }
    }
}

impl Params {
    #[inline]
    pub(super) fn u64(&mut self, value: u64) {
        self.bytes(&value.to_le_bytes());
    }

    #[inline]
    pub(super) fn u32(&mut self, value: u32) {
        self.bytes(&value.to_le_bytes());
    }

    #[inline]
    pub(super) fn bytes(&mut self, value: &[u8]) {
        let end = self.len + value.len();
        match self.usual.get_mut(self.len..end) {
            Some(slot) if self.more.is_empty() => slot.copy_from_slice(value),
            _ => self.spill(value),
        }
        self.len = end;
    }

    #[cold]
    fn spill(&mut self, value: &[u8]) {
        if self.more.is_empty() {
            self.more.extend_from_slice(&self.usual[..self.len]);
        }
        self.more.extend_from_slice(value);
    }

    /// Strides of `capacity` axes, those that are missing being 0.
    pub(super) fn strides(&mut self, strides: &[i64], capacity: usize) {
        for i in 0..capacity {
            self.u64(strides.get(i).copied().unwrap_or(0) as u64);
        }
    }

    /// Dividers by the sizes of `capacity` axes: `include/index.cuh`.
    pub(super) fn dividers(&mut self, sizes: &[usize], capacity: usize, wide: bool) {
        for i in 0..capacity {
            let d = sizes.get(i).copied().unwrap_or(1).max(1) as u64;
            let shift = 64 - (d - 1).leading_zeros();
            if wide {
                let magic = (((1u128 << shift) - u128::from(d)) << 64) / u128::from(d) + 1;
                for word in [d, magic as u64, shift.into()] {
                    self.u64(word);
                }
            } else {
                let magic = (((1u64 << shift) - d) << 32) / d + 1;
                for word in [d as u32, magic as u32, shift] {
                    self.u32(word);
                }
            }
        }
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        if self.more.is_empty() { &self.usual[..self.len] } else { &self.more }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `divide` of `include/index.cuh`, as it stands there.
    fn divide32(n: u32, magic: u32, shift: u32) -> u32 {
        let t = ((u64::from(n) * u64::from(magic)) >> 32) as u32;
        (t.wrapping_add((n - t) >> u32::from(shift != 0))) >> (if shift == 0 { 0 } else { shift - 1 })
    }

    fn divide64(n: u64, magic: u64, shift: u64) -> u64 {
        let t = ((u128::from(n) * u128::from(magic)) >> 64) as u64;
        (t.wrapping_add((n - t) >> u32::from(shift != 0))) >> (if shift == 0 { 0 } else { shift - 1 })
    }

    #[test]
    fn many_parameters_stand_one_after_the_other() {
        let mut p = Params::default();
        let words: Vec<u32> = (0..300).collect();
        words.iter().for_each(|&w| p.u32(w));
        let expected: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        assert_eq!(p.as_bytes(), expected);
    }

    #[test]
    fn dividers_divide() {
        let word = |b: &[u8], i: usize| u32::from_le_bytes(b[4 * i..4 * i + 4].try_into().unwrap());
        let long = |b: &[u8], i: usize| u64::from_le_bytes(b[8 * i..8 * i + 8].try_into().unwrap());
        for d in (1..2000).chain([65535, 65536, 65537, (1 << 31) - 1, 1 << 31, u32::MAX as usize]) {
            let (mut narrow, mut wide) = (Params::default(), Params::default());
            narrow.dividers(&[d], 1, false);
            wide.dividers(&[d], 1, true);
            for n in [
                0,
                1,
                2,
                d as u32 - 1,
                d as u32,
                d as u32 + (d != u32::MAX as usize) as u32,
                12345,
                u32::MAX - 1,
                u32::MAX,
            ] {
                let b = narrow.as_bytes();
                assert_eq!(divide32(n, word(b, 1), word(b, 2)), n / d as u32, "{n} / {d}");
            }
            for n in [0, 1, d as u64 - 1, d as u64, 1 << 40, u64::MAX - 1, u64::MAX] {
                let b = wide.as_bytes();
                assert_eq!(divide64(n, long(b, 1), long(b, 2)), n / d as u64, "{n} / {d}");
            }
        }
    }
}
