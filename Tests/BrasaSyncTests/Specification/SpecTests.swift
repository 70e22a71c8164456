import Foundation
import Testing

/// The scripted cases. Those of the portable suite stay outside of the repository: they are looked for in the folder that
/// BRASA_SPEC_TESTS names, else beside the repository. Our own are in `Cases` and always run.
@Suite struct SpecTests {
    private static var root: URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    }

    static var portableFolder: URL {
        if let path = ProcessInfo.processInfo.environment["BRASA_SPEC_TESTS"] { return URL(filePath: path) }
        return self.root.appending(path: "../../../shared/data/spec-tests").standardized
    }

    @Test(arguments: SpecMode.allCases) func `The portable cases pass`(_ mode: SpecMode) throws {
        let folder = Self.portableFolder
        guard FileManager.default.fileExists(atPath: folder.path) else {
            print("skipped: no portable cases in \(folder.path); BRASA_SPEC_TESTS can name another folder")
            return
        }
        try Self.run(folder, mode)
    }

    @Test(arguments: SpecMode.allCases) func `Our own cases pass`(_ mode: SpecMode) throws {
        try Self.run(Self.root.appending(path: "Cases"), mode)
    }

    private static func run(_ folder: URL, _ mode: SpecMode) throws {
        let only = ProcessInfo.processInfo.environment["BRASA_SPEC_CASE"]
        var lines: [String] = []
        var total = 0
        for file in try SpecFile.all(in: folder) {
            var passed = 0
            var run = 0
            var skipped: [String: Int] = [:]
            for specification in file.cases where only == nil || specification.name == only {
                if let tag = specification.skippedFor(mode) {
                    skipped[tag, default: 0] += 1
                    continue
                }
                run += 1
                do {
                    try SpecRunner(specification, mode).run()
                    passed += 1
                } catch {
                    Issue.record("\(mode.rawValue) \(file.name): \(specification.name): \(error)")
                }
            }
            total += passed
            let others = skipped.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
            lines.append(
                "\(mode.rawValue) \(file.name): \(passed) of \(run) passed\(others.isEmpty ? "" : "; skipped \(others)")"
            )
        }
        lines.append("\(mode.rawValue) \(folder.lastPathComponent): \(total) passed")
        print(lines.joined(separator: "\n"))
    }
}
