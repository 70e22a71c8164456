import BrasaOptions

/// What a server is told to do, and who said it.
package struct SaidSettings: Sendable {
    package internal(set) var configuration = ServerConfiguration()
    /// By the settings' names, as `--log-level`, `BRASA_LOG_LEVEL` or `brasa.yaml:3`.
    package internal(set) var sources: [String: String] = [:]
    /// Only that is asked for.
    package let isToBePrinted: Bool
    /// Variables whose names begin as those of settings do.
    package let strangers: [String]

    init(isToBePrinted: Bool, strangers: [String]) {
        self.isToBePrinted = isToBePrinted
        self.strangers = strangers
    }

    /// All settings as a file for `--config` that says the same, with who said each.
    package var yaml: String {
        Setting.all.map { setting in
            let text = setting.text(self.configuration)
            let source = self.sources[setting.name]
            guard !text.isEmpty || source != nil else { return "# \(setting.name): \(setting.defaultText)\n" }
            return "\(setting.name): \(YAMLMapping.format(text))  # \(source.map(Self.comment) ?? "default")\n"
        }.joined()
    }

    /// In a line.
    private static func comment(_ source: String) -> String { YAMLMapping.format(source) }

    /// What is to be told about variables that change nothing.
    package var warnings: [String] {
        self.strangers.map { stranger in
            let nearest = NearestName.of(stranger, among: Setting.all.map(\.variable)).map { "; the nearest is \($0)" }
            return "the variable \(stranger) is no setting\(nearest ?? "")"
        }
    }
}
