import BrasaFuzzing
import Foundation
import Testing

/// What fuzzing the tree's rooms has found worth keeping (`scripts/fuzz`), once more.
struct CorpusTests {
    @Test func `Inputs that were found by fuzzing are answered, and keep the tree's laws`() throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let folder = tests.appending(path: "BrasaFuzzing/Corpus/tree")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(files.count >= 20)
        for file in files { fuzzTree([UInt8](try Data(contentsOf: file))) }
    }
}
