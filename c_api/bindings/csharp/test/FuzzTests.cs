using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using Rondo;
using static Support;

/// <summary>Each public method with nothing, with the least and with the most: each is refused or done, and none
/// ends the process or comes upon a null by accident.</summary>
public static class FuzzTests
{
    public static void AlsoArguments()
    {
        using Model model = Open();
        using Engine engine = model.CreateEngine(new EngineOptions { Context = 64, MaxSessions = 4 });
        using Session session = engine.CreateSession(Limit(2));
        int calls = 0;
        foreach (object one in new object[] { model, engine, session })
        {
            IEnumerable<MethodInfo> methods = one.GetType().GetMethods(
                BindingFlags.Public | BindingFlags.Instance | BindingFlags.DeclaredOnly).Where(method =>
                method.Name != "Dispose" && method.GetParameters().All(parameter =>
                    !parameter.ParameterType.IsByRef && !parameter.ParameterType.IsByRefLike));
            foreach (MethodInfo method in methods)
            {
                for (int kind = 0; kind < 3; ++kind)
                {
                    object?[] arguments = method.GetParameters().Select(
                        parameter => Value(parameter.ParameterType, kind)).ToArray();
                    ++calls;
                    Call(one, method, arguments);
                }
            }
        }
        True(calls > 100);
        session.Reset();
        True(session.Generate(Prompt).Length > 0);
    }

    private static void Call(object one, MethodInfo method, object?[] arguments)
    {
        try
        {
            object? result = method.Invoke(one, arguments);
            if (result is System.Threading.Tasks.Task task) task.GetAwaiter().GetResult();
            (result as IDisposable)?.Dispose();
        }
        catch (Exception error)
        {
            Exception inner = (error as TargetInvocationException)?.InnerException ?? error;
            if (inner is ArgumentException || inner is RondoException || inner is OperationCanceledException) return;
            throw new Exception($"{method}: {inner}");
        }
    }

    private static object? Value(Type type, int kind)
    {
        type = Nullable.GetUnderlyingType(type) ?? type;
        if (type == typeof(int)) return new[] { 0, int.MinValue, int.MaxValue }[kind];
        if (type == typeof(long)) return new[] { 0, long.MinValue, long.MaxValue }[kind];
        if (type.IsEnum) return Enum.ToObject(type, new[] { 0, 1, 77 }[kind]);
        if (type == typeof(string)) return new[] { null, "", "a\0\ud800" }[kind];
        return type.IsValueType ? Activator.CreateInstance(type) : null;
    }
}
