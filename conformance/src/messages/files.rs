//! Error messages of files and text.

use cuprum::{
    DType, FormatFloatOptions, GenfromtxtOptions, LoadtxtOptions, SavetxtOptions, array, format_float_positional,
    genfromtxt_from, load, load_from, loadtxt_from, ones, savetxt_to,
};

use super::messages;

/// Returns an npy file with this header.
fn npy(header: &str) -> Vec<u8> {
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file
}

messages! {
    "Files" {
        load("missing.npy", ())
            => "load: missing.npy cannot be read: No such file or directory (os error 2)",
            "Check the path; a relative one begins in the folder that the program was started in.";
        load_from(&b"1,2,3"[..], ())
            => "load_from: the stream, byte 0: it is no npy file, which begins with \"\\x93NUMPY\"",
            "A text is read by `loadtxt`, elements without a header by `fromfile`.";
        load_from(&b"PK\x03\x04...."[..], ())
            => "load_from: the stream, byte 0: it is an archive of arrays: open it with load_npz",
            "`load_npz` opens an archive; `get` reads an array of it.";
        load_from(&npy("{'descr': '|O', 'fortran_order': False, 'shape': (2,)}")[..], ())
            => "load_from: the stream, byte 20: the dtype '|O' holds objects of Python, which are pickled and not loaded; \
                there are booleans, integers, floats and complex numbers",
            "In NumPy, cast to numbers before saving.";
        load_from(&npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}")[..], ())
            => "load_from: the stream, byte 65: the file ends after 0 of the 16 bytes of its elements",
            "The file was cut: copy it anew.";
        loadtxt_from("1,2\n3,four".as_bytes(), LoadtxtOptions::new().delimiter(','))
            => "loadtxt_from: the stream, line 2, column 1: \"four\" is no number of float64",
            "A `Converter` makes numbers of other texts; `genfromtxt` fills gaps.";
        loadtxt_from("1 2\n3".as_bytes(), ())
            => "loadtxt_from: the stream, line 2: 1 fields in a row, 2 in the rows above: take those that all have with usecols",
            "Name the columns that every row has with `usecols`.";
        loadtxt_from("1".as_bytes(), LoadtxtOptions::new().ndmin(3))
            => "loadtxt_from: ndmin is 3; a table has 0, 1 or 2 axes at least",
            "`reshape` the table.";
        genfromtxt_from("1 2\n3".as_bytes(), ())
            => "genfromtxt_from: the stream, line 2: 1 fields, which do not make the 2 columns that are taken",
            "`invalid_raise(false)` leaves such rows out.";
        genfromtxt_from("1 2.5".as_bytes(), GenfromtxtOptions::new().dtype(None::<DType>))
            => "genfromtxt_from: the stream: column 0 is of int64 and column 1 of float64, which in one array only a structured \
                dtype would hold: name a dtype for all",
            "`dtype(DType::F64)` holds both.";
        savetxt_to(vec![], ones([2, 2, 2], ())?, ())
            => "savetxt_to: a table has 1 or 2 axes, and the array the shape (2, 2, 2): reshape it first",
            "`reshape` to rows and columns.";
        savetxt_to(vec![], array([[1, 2]])?, SavetxtOptions::new().fmt("%d %d %d"))
            => "savetxt_to: the format \"%d %d %d\" has 3 signs %, and a row has 2 numbers",
            "One format for all columns, or one for each.";
        savetxt_to(vec![], array([1.5])?, "%x")
            => "savetxt_to: %x writes integers, which 1.5 is not: write it with %s",
            "`%g` and `%e` write floats.";
        format_float_positional(0.5, FormatFloatOptions::new().unique(false))
            => "format_float_positional: without a precision it is not known how many digits of the exact value to write",
            "Say a `precision`.";
    }
}
