import BrasaFuzzing
import Foundation
import Testing

/// What fuzzing has found worth keeping (`scripts/fuzz`), once more.
struct CorpusTests {
    @Test func `Inputs that were found by fuzzing are answered`() throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let folder = tests.appending(path: "BrasaFuzzing/Corpus/rules")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(files.count >= 20)
        for file in files { fuzzRules([UInt8](try Data(contentsOf: file))) }
    }
}
