import ArgumentParser
import BrasaBench
import Foundation

/// What listeners were told, as it is printed.
struct BenchListenText {
    /// Of the numbers in a row.
    static var rowHelp: ArgumentHelp {
        """
        text, or row: events a second, their median and 99th percentile in microseconds, the writer's answers a second and \
        their median, and with --process its resident bytes without listeners, with idle ones, and in the end, and the \
        microseconds of processor time that an event took of it and of the load generator.
        """
    }

    private let report: ListenReport
    private let listeners: Int
    private let connections: Int
    private let silent: Int
    private let isPaced: Bool

    /// - Parameters:
    ///   - silent: of the listeners, those that have stopped reading.
    ///   - isPaced: whether changes were made at a fixed rate.
    init(_ report: ListenReport, _ listeners: Int, on connections: Int, silent: Int, isPaced: Bool) {
        self.report = report
        self.listeners = listeners
        self.connections = connections
        self.silent = silent
        self.isPaced = isPaced
    }

    func print(_ format: BenchCommand.Format) {
        switch format {
        case .row: self.printRow()
        case .text: self.printText()
        }
    }

    private func printRow() {
        let report = self.report
        var numbers = [report.eventsPerSecond] + [50, 99].map { report.deliveryMicroseconds(atPercentile: $0) }
        numbers += [report.answersPerSecond, report.answerMicroseconds(atPercentile: 50)]
        if let resident = report.resident {
            numbers += [resident.before, resident.listening, resident.after].map(Double.init)
        }
        if let (server, generator) = report.processorMicroseconds { numbers += [server, generator] }
        Swift.print(numbers.map { String(format: "%.2f", $0) }.joined(separator: " "))
    }

    private func printText() {
        let report = self.report
        let changes = Double(report.changes) / (report.duration / .seconds(1))
        Swift.print(String(format: "%.0f events/s, of %.1f changes/s", report.eventsPerSecond, changes))
        let listeners = "\(self.listeners) listeners on \(self.connections) connections"
        Swift.print("  \(listeners); \(self.silent) have stopped reading")
        Swift.print("from the time the writer \(self.isPaced ? "should have sent" : "sent") the change")
        Self.printTimes("to a listener's receipt", report.deliveryMicroseconds)
        Self.printTimes("to the writer's answer", report.answerMicroseconds)
        if let (server, generator) = report.processorMicroseconds {
            let times = String(format: "%.2f µs of the server's, %.2f µs of the load generator's", server, generator)
            Swift.print("processor time an event: \(times)")
        }
        guard let resident = report.resident, self.listeners > 0 else { return }
        let megabytes = [resident.before, resident.listening, resident.after].map {
            String(format: "%.1f MB", Double($0) / 1e6)
        }
        let each = Double(resident.listening - resident.before) / Double(self.listeners) / 1024
        let during = "with idle ones \(megabytes[1]), in the end \(megabytes[2])"
        Swift.print("resident without listeners \(megabytes[0]), \(during)")
        Swift.print(String(format: "  an idle listener, with its part of a connection: %.2f KiB", each))
    }

    private static func printTimes(_ what: String, _ microseconds: (Double) -> Double) {
        let times = [50.0, 90, 99, 99.9, 100].map {
            "p\($0.formatted()) \(String(format: "%.0f", microseconds($0))) µs"
        }
        Swift.print("  \(what): \(times.joined(separator: ", "))")
    }
}
