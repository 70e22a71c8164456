import BrasaServer

/// Reads settings from the command line, else from `BRASA_…` environment variables, else takes the default.
struct SettingsReader {
    let environment: [String: String]

    /// - Throws: `StartError` with the option's name as the user wrote it, the value, and what is accepted.
    func read<Setting>(
        _ option: String,
        _ argument: String?,
        default defaultValue: Setting,
        takes description: String,
        parse: (String) -> Setting?
    ) throws -> Setting {
        let variable = Self.variable(for: option)
        let (source, text): (String, String)
        if let argument {
            (source, text) = ("--\(option)", argument)
        } else if let value = self.environment[variable] {
            (source, text) = (variable, value)
        } else {
            return defaultValue
        }
        guard let setting = parse(text) else {
            throw StartError("\(source) takes \(description), not \"\(text)\"")
        }
        return setting
    }

    func read(flag option: String, _ argument: Bool) throws -> Bool {
        try argument
            || self.read(
                option,
                nil,
                default: false,
                takes: "true or false",
                parse: {
                    ["true": true, "1": true, "yes": true, "false": false, "0": false, "no": false, "": false][$0]
                }
            )
    }

    static func variable(for option: String) -> String {
        "BRASA_" + option.uppercased().replacing("-", with: "_")
    }
}

/// Durations as people write them: a number and one of `ms`, `s`, `m`, `h`, `d`.
enum DurationText {
    static func parse(_ text: String) -> Duration? {
        let digits = text.prefix(while: \.isNumber)
        guard let count = Int64(digits), count >= 0 else { return nil }
        let unit: Int64
        switch text.dropFirst(digits.count) {
        case "ms": return .milliseconds(count)
        case "s": unit = 1
        case "m": unit = 60
        case "h": unit = 3_600
        case "d": unit = 86_400
        default: return nil
        }
        // A century is beyond any use and well within the arithmetic.
        guard count <= 36_525 * 86_400 / unit else { return nil }
        return .seconds(count * unit)
    }
}
