/// Reads the settings from the command line, else from `BRASA_…` environment variables; the rest stay as they are.
package enum SettingsReader {
    /// - Parameter arguments: those of `brasa serve`. Of an option that stands there twice the last one counts.
    /// - Throws: `StartError` with the option or variable as the user wrote it, the value, and what is accepted.
    package static func configuration(
        arguments: [String],
        environment: (String) -> String?
    ) throws(StartError) -> ServerConfiguration {
        let options = try self.options(arguments)
        var configuration = ServerConfiguration()
        for setting in Setting.all {
            if let text = options[setting.name] {
                try self.read(setting, setting.option, text, into: &configuration)
            } else if let text = environment(setting.variable) {
                try self.read(setting, setting.variable, text, into: &configuration)
            }
        }
        return configuration
    }

    /// Texts by the settings' names: of `--name text`, `--name=text`, and `--name` for a flag.
    private static func options(_ arguments: [String]) throws(StartError) -> [String: String] {
        var options: [String: String] = [:]
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--") else { throw StartError("serve takes options only, not \"\(argument)\"") }
            let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first, let setting = Setting.named(name) else {
                let known = Setting.all.map(\.option).joined(separator: ", ")
                throw StartError("--\(parts.first ?? "") is no option of serve; there are \(known)")
            }
            if parts.count == 2 {
                options[setting.name] = String(parts[1])
            } else if setting.isFlag {
                options[setting.name] = "true"
            } else if let text = rest.popFirst(), !text.hasPrefix("--") {
                options[setting.name] = text
            } else {
                throw StartError("\(setting.option) takes \(setting.accepted), and there is nothing behind it")
            }
        }
        return options
    }

    private static func read(
        _ setting: Setting,
        _ source: String,
        _ text: String,
        into configuration: inout ServerConfiguration
    ) throws(StartError) {
        guard setting.read(text, &configuration) else {
            throw StartError("\(source) takes \(setting.accepted), not \"\(text)\"")
        }
    }
}
