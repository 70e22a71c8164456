import BrasaOptions

/// Reads the settings from the command line, else from `BRASA_…` environment variables, else from the file that `--config`
/// or `BRASA_CONFIG` names; the rest stay as they are.
package struct SettingsReader: Sendable {
    package static let configOption = "--config"
    package static let configVariable = "BRASA_CONFIG"
    package static let printOption = "--print-config"

    /// Those of `brasa serve`. Of an option that stands there twice the last one counts.
    private let arguments: [String]
    private let environment: [String: String]
    private let readFile: @Sendable (String) throws(StartError) -> String

    package init(
        arguments: [String],
        environment: [String: String],
        readFile: @escaping @Sendable (String) throws(StartError) -> String = ConfigurationFile.read
    ) {
        self.arguments = arguments
        self.environment = environment
        self.readFile = readFile
    }

    /// As things are now: the file may be another at each call.
    /// - Throws: `StartError` with the option, variable or line as the user wrote it, the value, and what is accepted.
    package func read() throws(StartError) -> SaidSettings {
        let line = try CommandLineSettings(self.arguments)
        var sources = [SettingsSource.commandLine(line.texts), .environment(self.environment)]
        if let path = line.config ?? self.environment[Self.configVariable] {
            sources.append(.file(path, try ConfigurationFile.entries(try self.readFile(path), path)))
        }
        var said = SaidSettings(isToBePrinted: line.isToBePrinted, strangers: self.strangers)
        for setting in Setting.all {
            for source in sources {
                guard let text = try source.text(setting) else { continue }
                guard setting.read(text, &said.configuration) else {
                    throw StartError("\(source.name(setting)) takes \(setting.accepted), not \"\(text)\"")
                }
                said.sources[setting.name] = source.place(setting)
                break
            }
        }
        return said
    }

    /// Variables that are called like settings, and are none. No errors: Kubernetes makes such of services' names.
    private var strangers: [String] {
        let known = Set(Setting.all.map(\.variable) + [Self.configVariable])
        return self.environment.keys.filter { $0.hasPrefix("BRASA_") && !known.contains($0) }.sorted()
    }
}

/// The arguments of `brasa serve`.
private struct CommandLineSettings {
    /// By the settings' names: of `--name text`, `--name=text`, and `--name` for a flag.
    var texts: [String: String] = [:]
    var config: String?
    var isToBePrinted = false

    init(_ arguments: [String]) throws(StartError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--") else { throw StartError("serve takes options only, not \"\(argument)\"") }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let option = String(parts.first ?? "")
            let behind = parts.count == 2 ? String(parts[1]) : nil
            if option == SettingsReader.printOption, behind == nil {
                self.isToBePrinted = true
            } else if option == SettingsReader.configOption {
                self.config = try Self.value(of: option, "a file", behind, &rest)
            } else if let setting = Setting.named(option.dropFirst(2)) {
                if setting.isFlag {
                    self.texts[setting.name] = behind ?? "true"
                } else {
                    self.texts[setting.name] = try Self.value(of: option, setting.accepted, behind, &rest)
                }
            } else {
                throw Self.unknown(option)
            }
        }
    }

    private static func value(
        of option: String,
        _ accepted: String,
        _ behind: String?,
        _ rest: inout ArraySlice<String>
    ) throws(StartError) -> String {
        if let behind { return behind }
        guard let text = rest.popFirst(), !text.hasPrefix("--") else {
            throw StartError("\(option) takes \(accepted), and there is nothing behind it")
        }
        return text
    }

    private static func unknown(_ option: String) -> StartError {
        let known = Setting.all.map(\.option) + [SettingsReader.configOption, SettingsReader.printOption]
        let nearest = NearestName.of(option, among: known).map { "; the nearest is \($0)" } ?? ""
        return StartError("\(option) is no option of serve\(nearest). There are \(known.joined(separator: ", "))")
    }
}
