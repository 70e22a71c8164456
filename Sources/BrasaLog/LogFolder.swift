import BrasaPlatform

/// Names of the log's files, and what the folder holds of them.
struct LogFolder: Sendable {
    let disk: any Disk
    let directory: String

    static let lockName = "LOCK"
    private static let temporarySuffix = ".tmp"

    struct Contents {
        /// Ascending by number.
        var segments: [UInt64] = []
        /// Ascending by time.
        var checkpoints: [Int64] = []
        /// Unfinished files that a crash left behind.
        var temporaries: [String] = []
    }

    func path(_ name: String) -> String { self.directory + "/" + name }
    var lockPath: String { self.path(Self.lockName) }

    func segmentPath(_ number: UInt64) -> String {
        self.path("segment-\(Self.hexadecimal(number)).log")
    }

    func checkpointPath(_ time: Int64) -> String {
        self.path("checkpoint-\(Self.hexadecimal(UInt64(bitPattern: time))).chk")
    }

    func temporaryPath(_ name: String) -> String {
        self.path(name + Self.temporarySuffix)
    }

    func contents() throws(DiskError) -> Contents {
        var contents = Contents()
        for name in try self.disk.list(self.directory) {
            if name.hasSuffix(Self.temporarySuffix) {
                contents.temporaries.append(self.path(name))
            } else if let number = Self.number(in: name, prefix: "segment-", suffix: ".log") {
                contents.segments.append(number)
            } else if let time = Self.number(in: name, prefix: "checkpoint-", suffix: ".chk") {
                contents.checkpoints.append(Int64(bitPattern: time))
            }
        }
        contents.segments.sort()
        contents.checkpoints.sort()
        return contents
    }

    private static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private static func number(in name: String, prefix: String, suffix: String) -> UInt64? {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
        let digits = name.dropFirst(prefix.count).dropLast(suffix.count)
        guard digits.count == 16, let number = UInt64(digits, radix: 16), Self.hexadecimal(number) == digits else {
            return nil
        }
        return number
    }
}
