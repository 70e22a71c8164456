import BrasaPlatform
import BrasaRules
import BrasaService
import BrasaTreeJudging
import BrasaTreeRules
import Synchronization

/// The file of `--rules`, or of `--tree-rules`, which whoever writes rules may replace at any time.
final class RuleFile: Sendable {
    typealias Failure = RuleFileText.Failure

    let path: String
    private let disk: any Disk
    /// Compiles a text and puts it in force; returns warnings.
    private let install: @Sendable (_ text: [UInt8]) throws(Faults) -> [Fault]
    /// What was read last, also if it could not be used: that is told once.
    private let last = Mutex<Result<[UInt8], Failure>?>(nil)

    /// What is said of a place in the text.
    struct Fault: Sendable {
        let line: Int
        let column: Int
        let message: String
    }

    /// Why a text is no rules.
    struct Faults: Error {
        let all: [Fault]
    }

    private init(
        _ path: String,
        disk: any Disk,
        install: @escaping @Sendable (_ text: [UInt8]) throws(Faults) -> [Fault]
    ) {
        self.path = path
        self.disk = disk
        self.install = install
    }

    convenience init(_ path: String, disk: any Disk = RealDisk(), book: RuleBook) {
        self.init(path, disk: disk) { text throws(Faults) in
            let compilation = Ruleset.compile(text)
            guard let ruleset = compilation.ruleset else {
                throw Faults(all: compilation.diagnostics.filter { $0.severity == .error }.map { Fault($0) })
            }
            book.install(ruleset)
            return compilation.diagnostics.map { Fault($0) }
        }
    }

    convenience init(_ path: String, disk: any Disk = RealDisk(), book: TreeRuleBook) {
        self.init(path, disk: disk) { text throws(Faults) in
            do throws(TreeRules.Refused) {
                book.install(try TreeRules(parsing: text))
                return []
            } catch {
                throw Faults(all: error.diagnostics.map { Fault($0) })
            }
        }
    }

    /// Reads the file, and installs its rules if they are others than before and compile.
    func reload() -> RuleReload {
        // From reading to installing by one at a time: else the older of two texts could be the one that stays.
        self.last.withLock { last -> RuleReload in
            let text = Result { () throws(Failure) in try RuleFileText.read(self.path, from: self.disk) }
            guard last != text else { return .unchanged }
            last = text
            do throws(Failure) {
                return .changed(warnings: try self.use(try text.get()))
            } catch {
                return .failed(error)
            }
        }
    }

    private func use(_ text: [UInt8]) throws(Failure) -> [String] {
        do throws(Faults) {
            return try self.install(text).map(self.place)
        } catch {
            let more = error.all.count > 1 ? " (and \(error.all.count - 1) more)" : ""
            throw Failure(description: (error.all.first.map(self.place) ?? self.path) + more)
        }
    }

    private func place(_ fault: Fault) -> String { "\(self.path):\(fault.line):\(fault.column): \(fault.message)" }
}

extension RuleFile.Fault {
    fileprivate init(_ diagnostic: Diagnostic) {
        self.init(line: diagnostic.position.line, column: diagnostic.position.column, message: diagnostic.message)
    }

    fileprivate init(_ diagnostic: RulesDiagnostic) {
        let rule = diagnostic.rule.isEmpty ? "" : "\(diagnostic.rule): "
        self.init(line: diagnostic.line, column: diagnostic.column, message: rule + diagnostic.message)
    }
}
