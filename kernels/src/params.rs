//! Kernel parameters: every struct is declared once, and both its C declaration and its bytes follow from that.
//!
//! A declaration names its fields in order. An implementation of [`Fields`] visits them and writes the C declaration,
//! the bytes, or the offsets of the fields.

use std::fmt::Write;

/// Maximum number of axes in a kernel's ordinary parameters; arrays of more axes use a kernel with room for
/// [`DEEP_AXES`].
pub const SHALLOW_AXES: usize = 8;

/// Maximum number of axes of any kernel, which is that of an array.
pub const DEEP_AXES: usize = 64;

/// Width of a kernel's indices, and number of axes that its tables have room for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Width {
    /// 64-bit indices.
    pub wide: bool,
    /// Room for [`DEEP_AXES`] axes, not [`SHALLOW_AXES`].
    pub deep: bool,
}

impl Width {
    /// Returns the width for this number of axes and for indices below `most`.
    pub fn of(axes: usize, most: usize) -> Width {
        Width { wide: most > u32::MAX as usize, deep: axes > SHALLOW_AXES }
    }

    /// Returns the number of axes that there is room for.
    pub fn axes(self) -> usize {
        if self.deep { DEEP_AXES } else { SHALLOW_AXES }
    }

    /// Returns the C type of an index.
    pub fn index(self) -> &'static str {
        if self.wide { "u64" } else { "u32" }
    }

    /// Returns the C type of a divider of an index.
    pub fn divider(self) -> &'static str {
        if self.wide { "divider64" } else { "divider32" }
    }
}

/// Visitor of the fields of a struct with device pointers of type `P`. Each field begins, then its values follow.
pub trait Fields<P> {
    /// Begins a field of C type `of` at the next multiple of `align`; an array if there are lengths.
    fn begin(&mut self, of: &str, name: &str, lengths: &[usize], align: usize);
    /// Visits a 32-bit value.
    fn word(&mut self, value: u32);
    /// Visits a 64-bit value.
    fn long(&mut self, value: u64);
    /// Visits the address of an input, or 0.
    fn read(&mut self, pointer: Option<P>);
    /// Visits the address of an output or of memory that is read and written, or 0.
    fn write(&mut self, pointer: Option<P>);
}

/// Parameter struct of a kernel.
pub trait Parameters<P> {
    /// Visits the fields in order.
    fn visit(&self, to: &mut impl Fields<P>);
}

/// Field of a struct. `of` is its C type, if that is not the usual one.
pub trait Field<P> {
    /// Begins the field and visits its values.
    fn visit(&self, of: Option<&str>, name: &str, width: Width, to: &mut impl Fields<P>);
}

macro_rules! numbers {
    ($($rust:ty, $c:literal, $align:literal, |$x:ident, $to:ident| $put:expr;)+) => {$(
        impl<P> Field<P> for $rust {
            #[inline]
            fn visit(&self, of: Option<&str>, name: &str, _: Width, to: &mut impl Fields<P>) {
                to.begin(of.unwrap_or($c), name, &[], $align);
                let ($x, $to) = (*self, to);
                $put;
            }
        }
        impl<P, const N: usize> Field<P> for [$rust; N] {
            #[inline]
            fn visit(&self, of: Option<&str>, name: &str, _: Width, to: &mut impl Fields<P>) {
                to.begin(of.unwrap_or($c), name, &[N], $align);
                for &$x in self {
                    let $to = &mut *to;
                    $put;
                }
            }
        }
        impl<P, const N: usize, const M: usize> Field<P> for [[$rust; N]; M] {
            #[inline]
            fn visit(&self, of: Option<&str>, name: &str, _: Width, to: &mut impl Fields<P>) {
                to.begin(of.unwrap_or($c), name, &[M, N], $align);
                for &$x in self.as_flattened() {
                    let $to = &mut *to;
                    $put;
                }
            }
        }
    )+};
}

numbers! {
    u32, "u32", 4, |x, to| to.word(x);
    u64, "u64", 8, |x, to| to.long(x);
    usize, "u64", 8, |x, to| to.long(x as u64);
    i64, "i64", 8, |x, to| to.long(x as u64);
    f64, "f64", 8, |x, to| to.long(x.to_bits());
    bool, "u32", 4, |x, to| to.word(x.into());
}

/// Address of an input; 0 if there is none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Read<P>(pub Option<P>);

/// Address of an output or of memory that is read and written; 0 if there is none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Written<P>(pub Option<P>);

impl<P: Copy> Field<P> for Read<P> {
    #[inline]
    fn visit(&self, of: Option<&str>, name: &str, _: Width, to: &mut impl Fields<P>) {
        to.begin(of.unwrap_or("u64"), name, &[], 8);
        to.read(self.0);
    }
}

impl<P: Copy> Field<P> for Written<P> {
    #[inline]
    fn visit(&self, of: Option<&str>, name: &str, _: Width, to: &mut impl Fields<P>) {
        to.begin(of.unwrap_or("u64"), name, &[], 8);
        to.write(self.0);
    }
}

impl<P: Copy, const N: usize> Field<P> for [Read<P>; N] {
    #[inline]
    fn visit(&self, of: Option<&str>, name: &str, _: Width, to: &mut impl Fields<P>) {
        to.begin(of.unwrap_or("u64"), name, &[N], 8);
        for pointer in self {
            to.read(pointer.0);
        }
    }
}

impl<P: Copy, const N: usize> Field<P> for [Written<P>; N] {
    #[inline]
    fn visit(&self, of: Option<&str>, name: &str, _: Width, to: &mut impl Fields<P>) {
        to.begin(of.unwrap_or("u64"), name, &[N], 8);
        for pointer in self {
            to.write(pointer.0);
        }
    }
}

/// Size that indices are divided by: `divider32` or `divider64` of `include/index.cuh`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Size(pub usize);

impl Size {
    #[inline]
    fn put<P>(self, width: Width, to: &mut impl Fields<P>) {
        let d = self.0.max(1) as u64;
        let shift = 64 - (d - 1).leading_zeros();
        if width.wide {
            let magic = if d == 1 { 1 } else { (((1u128 << shift) - u128::from(d)) << 64) / u128::from(d) + 1 };
            for word in [d, magic as u64, shift.into()] {
                to.long(word);
            }
        } else {
            let magic = if d == 1 { 1 } else { (((1u64 << shift) - d) << 32) / d + 1 };
            for word in [d as u32, magic as u32, shift] {
                to.word(word);
            }
        }
    }

    fn align(width: Width) -> usize {
        if width.wide { 8 } else { 4 }
    }
}

impl<P> Field<P> for Size {
    #[inline]
    fn visit(&self, of: Option<&str>, name: &str, width: Width, to: &mut impl Fields<P>) {
        to.begin(of.unwrap_or(width.divider()), name, &[], Size::align(width));
        self.put(width, to);
    }
}

impl<P, const N: usize> Field<P> for [Size; N] {
    #[inline]
    fn visit(&self, of: Option<&str>, name: &str, width: Width, to: &mut impl Fields<P>) {
        to.begin(of.unwrap_or(width.divider()), name, &[N], Size::align(width));
        for size in self {
            size.put(width, to);
        }
    }
}

/// Sizes of the axes, padded with 1 to the number of axes that there is room for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sizes<'a>(pub &'a [usize]);

impl<P> Field<P> for Sizes<'_> {
    #[inline]
    fn visit(&self, of: Option<&str>, name: &str, width: Width, to: &mut impl Fields<P>) {
        to.begin(of.unwrap_or(width.divider()), name, &[width.axes()], Size::align(width));
        for k in 0..width.axes() {
            Size(self.0.get(k).copied().unwrap_or(1)).put(width, to);
        }
    }
}

/// Byte strides of the axes, padded with 0 to the number of axes that there is room for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Strides<'a>(pub &'a [i64]);

impl Strides<'_> {
    #[inline]
    fn put<P>(self, width: Width, to: &mut impl Fields<P>) {
        for k in 0..width.axes() {
            to.long(self.0.get(k).copied().unwrap_or(0) as u64);
        }
    }
}

impl<P> Field<P> for Strides<'_> {
    #[inline]
    fn visit(&self, of: Option<&str>, name: &str, width: Width, to: &mut impl Fields<P>) {
        to.begin(of.unwrap_or("i64"), name, &[width.axes()], 8);
        self.put(width, to);
    }
}

/// Table of strides: those of each operand in turn.
impl<P> Field<P> for &[Strides<'_>] {
    #[inline]
    fn visit(&self, of: Option<&str>, name: &str, width: Width, to: &mut impl Fields<P>) {
        to.begin(of.unwrap_or("i64"), name, &[self.len(), width.axes()], 8);
        for strides in *self {
            strides.put(width, to);
        }
    }
}

/// Field that exists for some keys only.
impl<P, F: Field<P>> Field<P> for Option<F> {
    #[inline]
    fn visit(&self, of: Option<&str>, name: &str, width: Width, to: &mut impl Fields<P>) {
        if let Some(field) = self {
            field.visit(of, name, width, to);
        }
    }
}

/// Value of any dtype: `parameter` of `include/types.cuh`, of the declared type.
#[derive(Clone, Copy, Debug, Default)]
pub struct Value(pub [u8; 16]);

impl<P> Field<P> for Value {
    #[inline]
    fn visit(&self, of: Option<&str>, name: &str, _: Width, to: &mut impl Fields<P>) {
        to.begin(of.unwrap_or("parameter<u64>"), name, &[], 8);
        let (low, high) = self.0.split_at(8);
        for half in [low, high] {
            to.long(u64::from_le_bytes(half.try_into().unwrap_or_default()));
        }
    }
}

/// Declares a parameter struct: its fields in order, each with its type and, if that is not the usual one, its C type.
/// The struct also has a `width`, which decides the length of its axis tables.
macro_rules! parameters {
    (
        $(#[$meta:meta])*
        $name:ident<$($life:lifetime,)? $pointer:ident> {
            $($(#[$about:meta])* $field:ident: $of:ty $(as $c:literal)?,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $name<$($life,)? $pointer> {
            /// Width of indices, and number of axes that tables have room for.
            pub width: $crate::params::Width,
            $($(#[$about])* pub $field: $of,)+
        }

        impl<$($life,)? $pointer: Copy> $crate::params::Parameters<$pointer> for $name<$($life,)? $pointer> {
            #[inline]
            fn visit(&self, to: &mut impl $crate::params::Fields<$pointer>) {
                $($crate::params::Field::visit(
                    &self.$field, [$($c,)?].first().copied(), stringify!($field), self.width, to);)+
            }
        }
    };
}
pub(crate) use parameters;

/// Returns the C declaration of a struct.
pub fn declaration(name: &str, parameters: &impl Parameters<()>) -> String {
    struct Text(String);
    impl Fields<()> for Text {
        fn begin(&mut self, of: &str, name: &str, lengths: &[usize], _: usize) {
            let lengths: String = lengths.iter().map(|n| format!("[{n}]")).collect();
            let _ = writeln!(self.0, "  {of} {name}{lengths};");
        }
        fn word(&mut self, _: u32) {}
        fn long(&mut self, _: u64) {}
        fn read(&mut self, _: Option<()>) {}
        fn write(&mut self, _: Option<()>) {}
    }
    let mut text = Text(format!("struct {name} {{\n"));
    parameters.visit(&mut text);
    text.0 + "};\n"
}

/// Returns the offsets of a struct's fields and its size: the bytes that are written must agree with the layout of the
/// C declaration.
pub fn offsets(parameters: &impl Parameters<()>) -> (Vec<(String, usize)>, usize) {
    #[derive(Default)]
    struct Offsets {
        fields: Vec<(String, usize)>,
        end: usize,
        align: usize,
    }
    impl Fields<()> for Offsets {
        fn begin(&mut self, _: &str, name: &str, _: &[usize], align: usize) {
            self.end = self.end.next_multiple_of(align);
            self.align = self.align.max(align);
            self.fields.push((name.into(), self.end));
        }
        fn word(&mut self, _: u32) {
            self.end += 4;
        }
        fn long(&mut self, _: u64) {
            self.end += 8;
        }
        fn read(&mut self, _: Option<()>) {
            self.end += 8;
        }
        fn write(&mut self, _: Option<()>) {
            self.end += 8;
        }
    }
    let mut all = Offsets { align: 1, ..Offsets::default() };
    parameters.visit(&mut all);
    (all.fields, all.end.next_multiple_of(all.align))
}

#[cfg(test)]
#[allow(unreachable_pub, reason = "what is declared elsewhere is public")]
mod tests {
    use super::*;

    parameters! {
        /// A struct with every kind of field.
        Sample<'a, P> {
            first: u32,
            input: Read<P> as "const char *",
            sizes: Sizes<'a>,
            mask: Option<Strides<'a>>,
            both: [Size; 2],
            value: Value as "parameter<f16>",
            last: bool,
        }
    }

    #[test]
    fn a_text_names_the_fields_in_order() {
        let text = declaration("params", &Sample::<()>::default());
        assert_eq!(
            text,
            "struct params {\n  u32 first;\n  const char * input;\n  divider32 sizes[8];\n  divider32 both[2];\n  \
             parameter<f16> value;\n  u32 last;\n};\n"
        );
        let key = Sample::<()> {
            mask: Some(Strides::default()),
            width: Width { wide: true, deep: true },
            ..Default::default()
        };
        let text = declaration("params", &key);
        assert!(text.contains("divider64 sizes[64];\n  i64 mask[64];\n"), "{text}");
    }

    #[test]
    fn fields_begin_where_c_puts_them() {
        let (fields, size) = offsets(&Sample::<()>::default());
        let at: Vec<_> = fields.iter().map(|(_, at)| *at).collect();
        assert_eq!((at.as_slice(), size), ([0, 8, 16, 112, 136, 152].as_slice(), 160));
    }

    /// Collects the words of a divider.
    #[derive(Default)]
    struct Words(Vec<u64>);
    impl Fields<()> for Words {
        fn begin(&mut self, _: &str, _: &str, _: &[usize], _: usize) {}
        fn word(&mut self, value: u32) {
            self.0.push(value.into());
        }
        fn long(&mut self, value: u64) {
            self.0.push(value);
        }
        fn read(&mut self, _: Option<()>) {}
        fn write(&mut self, _: Option<()>) {}
    }

    /// Divides as `divide` of `include/index.cuh` does.
    fn divide32(n: u32, magic: u32, shift: u32) -> u32 {
        let t = ((u64::from(n) * u64::from(magic)) >> 32) as u32;
        (t.wrapping_add((n - t) >> u32::from(shift != 0))) >> (if shift == 0 { 0 } else { shift - 1 })
    }

    fn divide64(n: u64, magic: u64, shift: u64) -> u64 {
        let t = ((u128::from(n) * u128::from(magic)) >> 64) as u64;
        (t.wrapping_add((n - t) >> u32::from(shift != 0))) >> (if shift == 0 { 0 } else { shift - 1 })
    }

    #[test]
    fn dividers_divide() {
        for d in (1..2000).chain([65535, 65536, 65537, (1 << 31) - 1, 1 << 31, u32::MAX as usize]) {
            let (mut narrow, mut wide) = (Words::default(), Words::default());
            Size(d).put(Width::default(), &mut narrow);
            Size(d).put(Width { wide: true, deep: false }, &mut wide);
            let around = [d as u32 - 1, d as u32, d as u32 + (d != u32::MAX as usize) as u32];
            for n in [0, 1, 2, 12345, u32::MAX - 1, u32::MAX].into_iter().chain(around) {
                assert_eq!(divide32(n, narrow.0[1] as u32, narrow.0[2] as u32), n / d as u32, "{n} / {d}");
            }
            for n in [0, 1, d as u64 - 1, d as u64, 1 << 40, u64::MAX - 1, u64::MAX] {
                assert_eq!(divide64(n, wide.0[1], wide.0[2]), n / d as u64, "{n} / {d}");
            }
        }
    }
}
