import BrasaOptions
import Configuration

/// Where settings are said.
struct SettingsSource: Sendable {
    private let provider: any ConfigProvider
    /// Of each, as in `--listen`, `BRASA_LISTEN` or `brasa.yaml:3`.
    let place: @Sendable (Setting) -> String
    /// What to call each when it is wrong.
    let name: @Sendable (Setting) -> String

    /// - Parameter texts: by the settings' names.
    static func commandLine(_ texts: [String: String]) -> SettingsSource {
        SettingsSource(provider: self.provider(texts), place: \.option, name: \.option)
    }

    static func environment(_ variables: [String: String]) -> SettingsSource {
        SettingsSource(
            provider: EnvironmentVariablesProvider(environmentVariables: variables),
            place: \.variable,
            name: \.variable
        )
    }

    static func file(_ path: String, _ entries: [YAMLMapping.Entry]) -> SettingsSource {
        let lines = Dictionary(entries.map { ($0.name, $0.line) }) { first, _ in first }
        let place: @Sendable (Setting) -> String = { "\(path):\(lines[$0.name] ?? 0)" }
        return SettingsSource(
            provider: self.provider(Dictionary(entries.map { ($0.name, $0.value) }) { first, _ in first }),
            place: place,
            name: { "\(place($0)): \($0.name)" }
        )
    }

    private static func provider(_ texts: [String: String]) -> InMemoryProvider {
        InMemoryProvider(
            values: Dictionary(
                uniqueKeysWithValues: texts.map { (self.key($0), ConfigValue(.string($1), isSecret: false)) }
            )
        )
    }

    /// So that a variable is called `BRASA_LOG_LEVEL`.
    private static func key(_ name: String) -> AbsoluteConfigKey { AbsoluteConfigKey(["brasa", name]) }

    /// Nil when nothing is said of it here.
    func text(_ setting: Setting) throws(StartError) -> String? {
        do {
            guard
                case .string(let text) = try self.provider.value(forKey: Self.key(setting.name), type: .string).value?
                    .content
            else { return nil }
            return text
        } catch {
            throw StartError("\(self.name(setting)) cannot be read: \(error)")
        }
    }
}
