//! Reading a CSV table into an array, saving results as npy and npz files, and loading them again.

use cuprum::prelude::*;
use cuprum::{LoadtxtOptions, PrintOptions, load, loadtxt, printoptions, save};

fn main() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("cuprum-files-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the files");
    let table = folder.join("weather.csv");
    std::fs::write(&table, "# day, low, high\n1, 8.5, 17.0\n2, 9.25, 21.5\n3, 7.0, 16.25\n").expect("a file");

    let options = LoadtxtOptions::new().delimiter(',').usecols([1, 2]);
    let temperatures = loadtxt(&table, options)?;
    let ranges = temperatures.part(s![.., 1]) - temperatures.part(s![.., 0]);
    {
        let _guard = printoptions(PrintOptions::new().precision(1usize));
        println!("{temperatures}\n{ranges}");
    }

    // The file is in NumPy's format: `numpy.load("ranges.npy")` reads it.
    let file = folder.join("ranges.npy");
    save(&file, &ranges)?;
    let again = load(&file, ())?;
    assert_eq!(again.to_vec::<f64>()?, [8.5, 12.25, 9.25]);

    #[cfg(feature = "npz")]
    {
        let archive = folder.join("weather.npz");
        cuprum::savez_compressed(&archive, [("temperatures", &temperatures), ("ranges", &ranges)])?;
        for item in cuprum::load_npz(&archive, ())?.iter() {
            let (name, a) = item?;
            println!("{name}: shape {:?}, mean {:.2}", a.shape(), a.mean(())?);
        }
    }
    std::fs::remove_dir_all(&folder).expect("the folder is there");
    Ok(())
}
