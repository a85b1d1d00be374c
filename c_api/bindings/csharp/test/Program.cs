using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Reflection;
using System.Threading.Tasks;

/// <summary>Runs each method whose name begins with the number of a behaviour, or with "Also": all, or those
/// whose names have the argument.</summary>
public static class Program
{
    public static int Main(string[] arguments)
    {
        string only = arguments.FirstOrDefault() ?? "";
        if (only == "newer") return Newer.Run();
        List<MethodInfo> tests = typeof(Program).Assembly.GetTypes().Where(type => type.IsAbstract)
            .SelectMany(type => type.GetMethods(BindingFlags.Static | BindingFlags.Public | BindingFlags.DeclaredOnly))
            .Where(test => test.Name.StartsWith("Also") || (test.Name[0] == 'B' && char.IsDigit(test.Name[1])))
            .Where(test => test.Name.Contains(only)).OrderBy(test => test.Name, StringComparer.Ordinal).ToList();
        int failed = 0;
        foreach (MethodInfo test in tests)
        {
            Stopwatch time = Stopwatch.StartNew();
            try
            {
                (test.Invoke(null, null) as Task)?.GetAwaiter().GetResult();
                Console.WriteLine($"{test.Name}: {time.ElapsedMilliseconds} ms");
            }
            catch (Exception error)
            {
                ++failed;
                Console.Error.WriteLine($"{test.Name} FAILED: {(error as TargetInvocationException)?.InnerException ?? error}");
            }
        }
        Console.WriteLine($"{tests.Count - failed} passed, {failed} failed");
        return failed == 0 && tests.Count > 0 ? 0 : 1;
    }
}
