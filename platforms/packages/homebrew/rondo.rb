class Rondo < Formula
  desc "Language models on edge devices, in one planned block of memory"
  homepage "@HOME@"
  url "@HOME@/releases/download/v@VERSION@/rondo-@VERSION@.tar.gz"
  sha256 "@SHA256@"
  license "MIT"

  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "flatbuffers" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "pkgconf" => [:build, :test]
  depends_on "xxhash" => :build
  depends_on "jpeg-turbo"
  depends_on "libpng"
  depends_on "openssl@3"
  depends_on "pcre2"
  depends_on "utf8proc"
  depends_on "webp"

  uses_from_macos "curl"
  uses_from_macos "libedit"

  on_linux do
    depends_on "libmicrohttpd"
  end

  resource "third_parties" do
    url "@HOME@/releases/download/v@VERSION@/rondo-third-parties-@VERSION@.tar.gz"
    sha256 "@PARTIES_SHA256@"
  end

  def install
    third_parties = buildpath/"third_parties"
    resource("third_parties").stage(third_parties)
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DRONDO_THIRD_PARTY_DIR=#{third_parties}",
           "-DRONDO_TOOLS=ON", "-DRONDO_TESTS=OFF", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
    pkgshare.install "tests/data/tiny"
  end

  test do
    system bin/"rondo", "convert", pkgshare/"tiny", "-o", "tiny.rondo", "--weights", "q8"
    refute_empty shell_output("#{bin}/rondo run tiny.rondo 'Today' --max-tokens 8")
  end
end
