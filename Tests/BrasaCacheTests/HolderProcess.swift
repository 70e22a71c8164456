import Foundation

/// Another process that has opened a cache, or tried to.
final class HolderProcess {
    /// What it said: "open", or why not.
    let answer: String
    private let process = Process()
    private let input = Pipe()

    /// What the tests were built into. The program, on which they depend, is beside it.
    private static var tests: URL {
        #if canImport(Darwin)
            // The process is one of SwiftPM's, which is elsewhere.
            return Bundle(for: HolderProcess.self).bundleURL
        #else
            return URL(filePath: CommandLine.arguments[0])
        #endif
    }

    init(_ folder: String) throws {
        let output = Pipe()
        self.process.executableURL = Self.tests.deletingLastPathComponent().appending(path: "cache-holder")
        self.process.arguments = [folder]
        self.process.standardInput = self.input
        self.process.standardOutput = output
        try self.process.run()
        var line: [UInt8] = []
        while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
            line.append(byte)
        }
        self.answer = String(decoding: line, as: UTF8.self)
    }

    func end() {
        try? self.input.fileHandleForWriting.close()
        self.process.waitUntilExit()
    }

    /// Without a chance to put anything in order.
    func kill() {
        Foundation.kill(self.process.processIdentifier, SIGKILL)
        self.process.waitUntilExit()
    }
}
