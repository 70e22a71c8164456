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
        guard FileManager.default.fileExists(atPath: folder.path) else {
            print("skipped: no portable cases in \(folder.path); BRASA_SPEC_TESTS can name another folder")
            return nil
        }
        return SpecSuite(folder: folder)
    }

    static var own: SpecSuite { SpecSuite(folder: self.root.appending(path: "Cases")) }

    /// Prints the counts by file, and gives what failed. BRASA_SPEC_CASE names a case to run alone.
    func run(_ mode: SpecMode) throws -> [String] {
        let only = ProcessInfo.processInfo.environment["BRASA_SPEC_CASE"]
        var lines: [String] = []
        var failures: [String] = []
        var total = 0
        for file in try SpecFile.all(in: self.folder) {
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
                    failures.append("\(mode) \(file.name): \(specification.name): \(error)")
                }
            }
            total += passed
            let others = skipped.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
            lines.append(
                "\(mode) \(file.name): \(passed) of \(run) passed\(others.isEmpty ? "" : "; skipped \(others)")"
            )
        }
        lines.append("\(mode) \(self.folder.lastPathComponent): \(total) passed")
        print(lines.joined(separator: "\n"))
        return failures
    }
}
