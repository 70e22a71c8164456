import Foundation

@testable import BrasaSync

/// One scripted case.
struct SpecCase {
    let name: String
    let tags: [String]
    let usesEagerCollector: Bool
    let limboResolutionsMax: Int?
    let steps: [JSON]

    init(name: String, _ json: JSON) {
        self.name = name
        self.tags = json["tags"]?.strings ?? []
        self.usesEagerCollector = json["config"]?["useEagerGCForMemory"]?.boolean ?? true
        self.limboResolutionsMax = json["config"]?["maxConcurrentLimboResolutions"]?.integer.map(Int.init)
        self.steps = json["steps"]?.array ?? []
    }

    /// The tag that keeps the case from being run; nil when it is run.
    func skippedFor(_ mode: SpecMode) -> String? {
        let tags = ["multi-client", "benchmark", mode.isDurable ? "eager-gc" : "durable-persistence"]
        return tags.first(where: self.tags.contains)
    }
}

/// A file of cases, by name.
struct SpecFile {
    let name: String
    let cases: [SpecCase]

    static func all(in folder: URL) throws -> [SpecFile] {
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try files.filter { $0.lastPathComponent.hasSuffix("_spec_test.json") }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
            .map { file in
                guard let json = JSONValue(try Array(Data(contentsOf: file))[...]) else {
                    throw SpecFailure("\(file.lastPathComponent) is no JSON")
                }
                return SpecFile(
                    name: file.deletingPathExtension().lastPathComponent,
                    cases: JSON(json).object.sorted { $0.key < $1.key }.map { SpecCase(name: $0.key, $0.value) }
                )
            }
    }
}
