import BrasaDoorFuzzing
import BrasaSocketFuzzing
import BrasaTokenFuzzing
import Foundation
import Testing

/// What fuzzing the doors has found worth keeping (`scripts/fuzz`), once more.
@Suite struct CorpusTests {
    private static let targets: [String: (library: String, feed: @Sendable ([UInt8]) -> Void)] = [
        "call": ("BrasaDoorFuzzing", fuzzCall), "http1": ("BrasaDoorFuzzing", fuzzHttp1),
        "http2": ("BrasaDoorFuzzing", fuzzHttp2), "requests": ("BrasaDoorFuzzing", fuzzRequests),
        "tokens": ("BrasaTokenFuzzing", fuzzTokens), "sockets": ("BrasaSocketFuzzing", fuzzSockets),
        "polling": ("BrasaSocketFuzzing", fuzzPolling),
    ]

    @Test(arguments: Self.targets.keys.sorted())
    func `Inputs that were found by fuzzing are answered, and nothing of them is kept`(_ name: String) throws {
        let target = try #require(Self.targets[name])
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let folder = tests.appending(path: "\(target.library)/Corpus/\(name)")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(files.count >= 20)
        for file in files { target.feed([UInt8](try Data(contentsOf: file))) }
    }
}
