use super::*;

#[test]
fn an_absent_device_is_an_error_that_says_what_is_missing() {
    let e = Device::open("tpu:0").unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Value);
    if device_count().is_err() {
        let e = Device::open("cuda:0").unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Library);
        assert!(e.message().contains("libcuda.so.1") && e.message().contains("CUPRUM_DEVICE=sim"), "{e}");
    }
}

#[test]
fn a_device_is_printed_by_its_id() {
    let device = Device::open("sim").unwrap();
    assert_eq!((format!("{device:>5}"), format!("{device:?}")), ("  sim".into(), "Device(sim)".into()));
}

#[test]
fn only_a_missing_driver_counts_as_no_device() {
    let failed = |kind| counted(Err(Error::new(kind, "")));
    assert_eq!(failed(ErrorKind::Library).unwrap(), 0);
    assert_eq!(failed(ErrorKind::Driver).unwrap_err().kind(), ErrorKind::Driver);
    assert_eq!(counted(Ok(2)).unwrap(), 2);
}

#[test]
fn a_matrix_that_begins_inside_a_buffer_ends_with_its_last_element() {
    use crate::driver::Gemm;
    use cuprum_kernels::DType;
    let device = Device::open("sim").unwrap();
    // Rows 1 and 2 of a 3 x 2 column-major matrix [[9, 9], [1, 3], [2, 4]]: the leading dimension stays 3.
    let stored = [9f32, 1.0, 2.0, 9.0, 3.0, 4.0];
    let identity = [1f32, 0.0, 0.0, 1.0];
    let bytes = |values: &[f32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let (a, b, c) = (device.alloc(24).unwrap(), device.alloc(16).unwrap(), device.alloc(16).unwrap());
    let driver = device.driver().unwrap();
    for (to, values) in [(&a, &stored[..]), (&b, &identity)] {
        // SAFETY: the buffers have this size.
        unsafe { driver.upload(to.addr(), &bytes(values), 0) }.unwrap();
    }
    for (transpose, expected) in [([false; 2], [1f32, 2.0, 3.0, 4.0]), ([true, false], [1.0, 3.0, 2.0, 4.0])] {
        let (a, b, c) = ((a.addr() + 4, 3), (b.addr(), 2), (c.addr(), 2));
        let gemm =
            Gemm { dtype: DType::F32, transpose, m: 2, n: 2, k: 2, a, b, c, batch: 1, strides: [0; 3], adds: false };
        // SAFETY: the buffers hold matrices of these sizes.
        unsafe { driver.gemm(&gemm, 0) }.unwrap();
        let mut out = [0; 16];
        // SAFETY: the buffer has this size.
        unsafe { driver.download(&mut out, c.0, 0) }.unwrap();
        assert_eq!(out.as_slice(), bytes(&expected));
        // The product is added to the first one.
        // SAFETY: the buffers hold matrices of these sizes.
        unsafe { driver.gemm(&Gemm { adds: true, ..gemm }, 0) }.unwrap();
        // SAFETY: the buffer has this size.
        unsafe { driver.download(&mut out, c.0, 0) }.unwrap();
        assert_eq!(out.as_slice(), bytes(&expected.map(|x| 2.0 * x)));
    }
}
