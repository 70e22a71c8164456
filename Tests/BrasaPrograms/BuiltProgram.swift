package import Foundation

/// A program of this package, which a test runs as a process of its own.
package enum BuiltProgram {
    /// Where one is on which the tests depend: beside what they were built into.
    package static func url(_ name: String) -> URL {
        self.tests.deletingLastPathComponent().appending(path: name)
    }

    private static var tests: URL {
        #if canImport(Darwin)
            // The process is one of SwiftPM's, which is elsewhere.
            return Bundle(for: Marker.self).bundleURL
        #else
            return URL(filePath: CommandLine.arguments[0])
        #endif
    }

    #if canImport(Darwin)
        private final class Marker {}
    #endif
}

extension FileHandle {
    /// What a program says first: a line, or what there is of it where its output ends.
    package func firstLine() throws -> String {
        var line: [UInt8] = []
        while let byte = try self.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") { line.append(byte) }
        return String(decoding: line, as: UTF8.self)
    }
}
