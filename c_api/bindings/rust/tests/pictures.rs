//! Pictures and frames of cameras.
mod common;
use common::*;
use rondo::*;
use std::ops::ControlFlow;
use std::thread;

#[test]
fn models_that_do_not_see() {
    let Fixture { model, engine, ids, .. } = fixture();
    assert_eq!(model.info().unwrap().picture_token, None);
    let options = ImageOptions::default();
    assert_eq!(status(model.image_plan(640, 480, &options)), Status::Unsupported);
    let image = Image::new(Pixels::Rgb8, 2, 2, &[&[0; 12]]);
    assert_eq!(status(engine.media(&image, &options)), Status::Unsupported);
    let error = engine.media(&image.strides([7, 0, 0]), &options).unwrap_err();
    assert_eq!(error.status(), Status::InvalidArgument);
    assert!(error.message().contains("plane 0 of the image has 12 bytes"), "{}", error);
    let mut session = engine.session(&limit(1)).unwrap();
    session.append_media(&ids, &[]).unwrap();
}

/// A model that sees, and ids with a place for a picture.
fn seeing() -> (Model, Engine, Vec<i32>) {
    let model = Model::open(std::env::var("RONDO_TEST_SEEING").unwrap()).unwrap();
    let engine = model.engine(&engine_options().max_media_rows(100)).unwrap();
    let ids = model.tokenize("See <image> here", false).unwrap();
    (model, engine, ids)
}

/// A picture of so many bytes.
fn pixels(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i * 37 % 251) as u8).collect()
}

#[test]
fn media() {
    let (model, engine, ids) = seeing();
    let token = model.info().unwrap().picture_token;
    assert_eq!(model.tokenize("<image>", false).unwrap().first().copied(), token);
    let options = ImageOptions::default();
    let plan = model.image_plan(5, 7, &options).unwrap();
    assert!(plan.tile_columns > 1 && plan.positions > plan.rows);
    let whole = model.image_plan(5, 7, &ImageOptions::default().one_tile(true)).unwrap();
    assert!(whole.rows > 0 && whole.rows < plan.rows);
    let few = ImageOptions::default().min_tokens(3);
    assert_eq!(status(model.image_plan(5, 7, &few)), Status::Unsupported);

    let rgb = pixels(5 * 7 * 3);
    let image = Image::new(Pixels::Rgb8, 5, 7, &[&rgb]);
    let media = engine.media(&image, &options).unwrap();
    assert_eq!(media.info().unwrap(), plan);
    let mut session = engine.session(&limit(4)).unwrap();
    session.append_media(&ids, &[&media]).unwrap();
    assert_eq!(session.position().unwrap(), ids.len() as u64 - 1 + u64::from(plan.positions));
    let clone = media.clone();
    drop(media); // the clone and the session go on
    rest(&mut session);
    assert_eq!(status(session.append_media(&ids, &[])), Status::InvalidArgument);
    assert_eq!(status(session.append_media(&ids, &[&clone, &clone])), Status::InvalidArgument);
    session.reset().unwrap();
    session.append_media(&[&ids[..], &ids].concat(), &[&clone, &clone]).unwrap();
    let other = model.engine(&engine_options().max_media_rows(100)).unwrap();
    let foreign = other.media(&image, &options).unwrap();
    assert_eq!(status(session.append_media(&ids, &[&foreign])), Status::InvalidArgument);

    let gray = pixels(64 * 64);
    let image = Image::new(Pixels::Gray8, 64, 64, &[&gray]);
    let mut calls = 0;
    let once = engine.media_with_progress(&image, &options, |done, total| {
        calls += 1;
        assert!(done <= total);
        ControlFlow::Break(())
    });
    assert_eq!((status(once), calls), (Status::Cancelled, 1));
    let panics = || engine.media_with_progress(&image, &options, |_, _| panic!("as it should"));
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics)).is_err());
    thread::scope(|scope| {
        let encode = || engine.media(&image, &ImageOptions::default()).unwrap().info();
        let threads = [scope.spawn(encode), scope.spawn(encode)];
        for one in threads {
            assert!(one.join().unwrap().unwrap().rows > 0);
        }
    });
}

#[test]
fn images() {
    let (_, engine, ids) = seeing();
    let see = |image: &Image<'_>| {
        let media = engine.media(image, &ImageOptions::default()).unwrap();
        let mut session = engine.session(&limit(1)).unwrap();
        session.append_media(&ids, &[&media]).unwrap();
        session.logits().unwrap().to_vec()
    };
    let rgb = pixels(9 * 7 * 3);
    let image = Image::new(Pixels::Rgb8, 9, 7, &[&rgb]);
    let seen = see(&image);
    // With alpha, and in rows that lie apart, of which the last ends with its pixels.
    let bgra: Vec<_> = rgb.chunks(3).flat_map(|pixel| [pixel[2], pixel[1], pixel[0], 99]).collect();
    assert_eq!(see(&Image::new(Pixels::Bgra8, 9, 7, &[&bgra])), seen);
    let mut apart: Vec<_> =
        rgb.chunks(27).flat_map(|row| row.iter().copied().chain([0; 5])).collect();
    apart.truncate(apart.len() - 5);
    assert_eq!(see(&Image::new(Pixels::Rgb8, 9, 7, &[&apart]).strides([32, 0, 0])), seen);
    let turned: Vec<_> = rgb.chunks(3).rev().flatten().copied().collect();
    let turned = Image::new(Pixels::Rgb8, 9, 7, &[&turned]);
    assert_ne!(see(&turned), seen);
    assert_eq!(see(&turned.rotation(180)), seen);
    assert_ne!(see(&turned.rotation(180).mirror(true)), seen);

    let (y, u, v) = (pixels(63), pixels(20), vec![77; 20]);
    let frame = Image::new(Pixels::I420, 9, 7, &[&y, &u, &v]);
    let seen = see(&frame);
    let uv: Vec<_> = u.iter().zip(&v).flat_map(|(&u, &v)| [u, v]).collect();
    assert_eq!(see(&Image::new(Pixels::Nv12, 9, 7, &[&y, &uv])), seen);
    assert_ne!(see(&Image::new(Pixels::Nv21, 9, 7, &[&y, &uv])), seen);
    assert_ne!(see(&frame.range(YuvRange::Full)), seen);
    assert_ne!(see(&frame.matrix(YuvMatrix::Bt709)), seen);

    for (wrong, words) in [
        (Image::new(Pixels::Rgb8, 9, 7, &[&rgb[1..]]), "plane 0"),
        (Image::new(Pixels::Rgb8, 9, 7, &[]), "plane 0"),
        (Image::new(Pixels::Nv12, 9, 7, &[&y, &uv[1..]]), "plane 1"),
        (Image::new(Pixels::I420, 9, 7, &[&y, &u]), "plane 2"),
        (image.strides([usize::MAX, 0, 0]), "plane 0"),
        (Image::new(Pixels::Rgb8, 9, 7, &[&rgb, &u]), "plane 1 is given"),
        (image.strides([27, 9, 0]), "plane 1 is given"),
        (image.strides([26, 0, 0]), "stride of 26 bytes"),
        (image.rotation(45), "45"),
        (Image::new(Pixels::Other(7), 9, 7, &[&rgb]), "no format"),
        (Image::new(Pixels::Rgb8, 0, 0, &[]), "0 x 0"),
        (Image::new(Pixels::Rgb8, u32::MAX, u32::MAX, &[&rgb]), "too few"),
    ] {
        let error = engine.media(&wrong, &ImageOptions::default()).unwrap_err();
        assert_eq!(error.status(), Status::InvalidArgument);
        assert!(error.message().contains(words), "{}", error);
    }
}
