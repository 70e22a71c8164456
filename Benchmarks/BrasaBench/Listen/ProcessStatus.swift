import Foundation

/// What the texts of `/proc/PID` say.
enum ProcessStatus {
    /// Of `stat`: what all threads together have used of the processors.
    static func processorTime(_ text: String, ticksPerSecond: Int) -> Duration? {
        // The program's name may hold spaces and brackets.
        guard let end = text.lastIndex(of: ")"), ticksPerSecond > 0 else { return nil }
        let fields = text[text.index(after: end)...].split(whereSeparator: \.isWhitespace)
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return nil }
        return .seconds((user + system) / Double(ticksPerSecond))
    }

    /// Of `status`.
    static func residentBytes(_ text: String) -> Int? {
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }) else { return nil }
        let words = line.split(whereSeparator: \.isWhitespace)
        guard words.count == 3, words[2] == "kB", let kilobytes = Int(words[1]) else { return nil }
        return kilobytes * 1024
    }
}

/// The server's process on this machine, while it is measured.
struct ServerProcess {
    let id: Int

    var residentBytes: Int? {
        (try? String(contentsOfFile: "/proc/\(self.id)/status", encoding: .utf8)).flatMap(ProcessStatus.residentBytes)
    }

    /// What it and this process have used of the processors so far.
    var processorTimes: ListenReport.Processor? {
        guard let server = Self.processorTime("\(self.id)"), let generator = Self.processorTime("self") else {
            return nil
        }
        return ListenReport.Processor(server: server, generator: generator)
    }

    private static func processorTime(_ process: String) -> Duration? {
        guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return nil }
        return ProcessStatus.processorTime(stat, ticksPerSecond: sysconf(Int32(_SC_CLK_TCK)))
    }
}
