import BrasaPrograms
import Foundation

/// Another process that has opened a cache, or tried to.
final class HolderProcess {
    /// What it said: "open", or why not.
    let answer: String
    private let process = Process()
    private let input = Pipe()

    init(_ folder: String) throws {
        let output = Pipe()
        self.process.executableURL = BuiltProgram.url("cache-holder")
        self.process.arguments = [folder]
        self.process.standardInput = self.input
        self.process.standardOutput = output
        try self.process.run()
        self.answer = try output.fileHandleForReading.firstLine()
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
