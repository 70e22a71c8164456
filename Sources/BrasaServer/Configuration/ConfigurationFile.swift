import BrasaOptions
import BrasaPlatform

/// The file that `--config` names: a setting a line, by its option's name.
package enum ConfigurationFile {
    static let bytesMax = 1 << 20

    package static let read: @Sendable (String) throws(StartError) -> String = { (path) throws(StartError) in
        let bytes: [UInt8]?
        do throws(DiskError) {
            bytes = try RealDisk().contents(of: path, bytesMax: Self.bytesMax)
        } catch {
            throw StartError("cannot read \(path): \(error)")
        }
        guard let bytes else { throw StartError("\(path) is longer than \(Self.bytesMax) bytes") }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw StartError("\(path) is not UTF-8") }
        return text
    }

    /// - Throws: `StartError` with the line that cannot be read, or names no setting.
    static func entries(_ text: String, _ path: String) throws(StartError) -> [YAMLMapping.Entry] {
        let entries: [YAMLMapping.Entry]
        do throws(YAMLMapping.Flaw) {
            entries = try YAMLMapping.parse(text)
        } catch {
            throw StartError("\(path):\(error.line): \(error)")
        }
        for entry in entries where Setting.named(entry.name) == nil {
            let nearest =
                NearestName.of(entry.name, among: Setting.all.map(\.name)).map { "; the nearest is \($0)" } ?? ""
            throw StartError("\(path):\(entry.line): there is no setting \(entry.name)\(nearest)")
        }
        return entries
    }
}
