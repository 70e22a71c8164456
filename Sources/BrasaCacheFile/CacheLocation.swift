internal import Foundation

/// Where caches are on disk: apps and what they use each have a folder in the one above.
package enum CacheLocation {
    /// - Parameters:
    ///   - root: nil is the usual one, the library's in the user's folder for data.
    ///   - parts: names of any kind.
    package static func folder(in root: String?, library: String, _ parts: [String]) -> String {
        ([root ?? "\(self.root)/\(library)"] + parts.map { self.fileName($0) }).joined(separator: "/")
    }

    private static var root: String {
        let home = FileManager.default.homeDirectoryForCurrentUser.path
        #if canImport(Darwin)
            let data = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first?.path
            return data ?? "\(home)/Library/Application Support"
        #else
            // The rule of the desktops: only absolute paths count.
            let data = ProcessInfo.processInfo.environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            return data ?? "\(home)/.local/share"
        #endif
    }

    /// Names as files can have them, different ones for different texts.
    package static func fileName(_ text: String) -> String {
        guard !text.isEmpty else { return "%" }
        // A name of dots alone would be a way up.
        let isDots = text.utf8.allSatisfy { $0 == UInt8(ascii: ".") }
        return text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                String(UnicodeScalar(byte))
            case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "("), UInt8(ascii: ")"):
                isDots ? "%\(String(byte, radix: 16))" : String(UnicodeScalar(byte))
            default: "%\(byte < 16 ? "0" : "")\(String(byte, radix: 16))"
            }
        }.joined()
    }
}
