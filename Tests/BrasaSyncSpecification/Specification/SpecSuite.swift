import Foundation

/// The scripted cases of a folder. Those of the portable suite stay outside of the repository: they are looked for in the
/// folder that BRASA_SPEC_TESTS names, else beside the repository. Our own are in `Cases` and always run.
struct SpecSuite {
    let folder: URL

    private static var root: URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    }

    /// Nil when they are not here.
    static var portable: SpecSuite? {
        let named = ProcessInfo.processInfo.environment["BRASA_SPEC_TESTS"].map { URL(filePath: $0) }
        let folder = named ?? self.root.appending(path: "../../../shared/data/spec-tests").standardized
        return FileManager.default.fileExists(atPath: folder.path) ? SpecSuite(folder: folder) : nil
    }

    static var own: SpecSuite { SpecSuite(folder: self.root.appending(path: "Cases")) }

    /// How many cases of the portable suite are run when all its files are there.
    private static let portableFiles = 17
    private static func portableCases(_ mode: SpecMode) -> Int { mode.isDurable ? 146 : 143 }

    /// Prints the counts by file and the names of what was skipped, and gives what failed, which is also to find fewer
    /// cases than there are. BRASA_SPEC_CASE names a case to run alone.
    func run(_ mode: SpecMode) throws -> [String] {
        let only = ProcessInfo.processInfo.environment["BRASA_SPEC_CASE"]
        let files = try SpecFile.all(in: self.folder)
        let results = files.map { Self.run($0, mode, only) }
        let count = results.reduce(0) { $0 + $1.run }
        var failures = results.flatMap(\.failures)
        if let only {
            let suites = [Self.portable, Self.own].compactMap(\.self)
            if try !suites.contains(where: { try $0.has(only) }) { failures.append("no case is called \(only)") }
        } else if count == 0 {
            failures.append("\(self.folder.path) has no cases")
        } else if files.count == Self.portableFiles, count != Self.portableCases(mode) {
            failures.append("\(mode) \(self.folder.path): \(count) cases of \(Self.portableCases(mode)) were run")
        }
        let lines = results.map(\.text) + ["\(mode) \(self.folder.lastPathComponent): \(count) run"]
        print(lines.joined(separator: "\n"))
        return failures
    }

    private func has(_ name: String) throws -> Bool {
        try SpecFile.all(in: self.folder).contains { $0.cases.contains { $0.name == name } }
    }

    private struct FileResult {
        var text = ""
        var run = 0
        var failures: [String] = []
    }

    private static func run(_ file: SpecFile, _ mode: SpecMode, _ only: String?) -> FileResult {
        var result = FileResult()
        var skipped: [String: [String]] = [:]
        for specification in file.cases where only == nil || specification.name == only {
            if let tag = specification.skippedFor(mode) {
                skipped[tag, default: []].append(specification.name)
                continue
            }
            result.run += 1
            do {
                try SpecRunner(specification, mode).run()
            } catch {
                result.failures.append("\(mode) \(file.name): \(specification.name): \(error)")
            }
        }
        let passed = result.run - result.failures.count
        let others = skipped.sorted { $0.key < $1.key }.map {
            "\n    \($0.value.count) \($0.key) skipped: \($0.value.joined(separator: "; "))"
        }
        result.text = "\(mode) \(file.name): \(passed) of \(result.run) passed\(others.joined())"
        return result
    }
}
